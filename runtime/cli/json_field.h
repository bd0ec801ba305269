// JsonField: a value in a JSON document with its path, so that what is wrong with it can be said by name.
//
//   JsonField root(json, "");
//   root.Get("refs").At(1).Get("block")      // path "refs[1].block"
//
// A mistake throws JsonField::Error, which the parser's entry point turns into a status; it never leaves this room.
//
// Ownership: the document outlives it. Concurrency: a value.
#ifndef STRANDCORE_RUNTIME_CLI_JSON_FIELD_H_
#define STRANDCORE_RUNTIME_CLI_JSON_FIELD_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace strandcore {

class JsonField {
 public:
  using Json = nlohmann::ordered_json;
  struct Error {
    std::string text;
  };

  JsonField(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  bool is_null() const { return json_->is_null(); }
  // A member of an object: required, or absent (also if it is null).
  JsonField Get(const std::string& key) const;
  std::optional<JsonField> Find(const std::string& key) const;
  // An array as it is, for who compares and does not read it.
  const Json& AsArray() const;
  // Elements of an array.
  size_t size() const;
  JsonField At(size_t i) const;

  std::string AsString() const;
  bool AsBool() const;
  double AsNumber() const;
  // An integer within these bounds.
  int64_t AsInteger(int64_t least, int64_t most) const;
  // One of these words; answers its position.
  size_t AsOneOf(std::initializer_list<const char*> words) const;
  [[noreturn]] void Refuse(const std::string& expected) const;

 private:
  const Json* json_;
  std::string path_;
};

}  // namespace strandcore

#endif  // STRANDCORE_RUNTIME_CLI_JSON_FIELD_H_
