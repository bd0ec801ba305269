#include "runtime/cli/json_field.h"

#include "absl/strings/str_cat.h"

namespace strandcore {

void JsonField::Refuse(const std::string& expected) const {
  // A document is text from outside: it may be long, and a string in it need not be UTF-8.
  std::string given = json_->dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr size_t kMostGiven = 60;
  if (given.size() > kMostGiven) given = given.substr(0, kMostGiven) + "...";
  throw Error{
      absl::StrCat("field ", path_.empty() ? "(the whole line)" : path_, ": expected ", expected, ", given ", given)};
}

JsonField JsonField::Get(const std::string& key) const {
  if (!json_->is_object()) Refuse("an object");
  const std::string path = path_.empty() ? key : path_ + "." + key;
  auto found = json_->find(key);
  if (found == json_->end()) throw Error{absl::StrCat("field ", path, ": expected, given none")};
  return JsonField(*found, path);
}

std::optional<JsonField> JsonField::Find(const std::string& key) const {
  if (!json_->is_object()) Refuse("an object");
  auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return JsonField(*found, path_.empty() ? key : path_ + "." + key);
}

const JsonField::Json& JsonField::AsArray() const {
  if (!json_->is_array()) Refuse("an array");
  return *json_;
}

size_t JsonField::size() const { return AsArray().size(); }

JsonField JsonField::At(size_t i) const {
  if (i >= size()) Refuse(absl::StrCat(i + 1, i == 0 ? " entry or more" : " entries or more"));
  return JsonField((*json_)[i], absl::StrCat(path_, "[", i, "]"));
}

std::string JsonField::AsString() const {
  if (!json_->is_string()) Refuse("a string");
  return json_->get<std::string>();
}

bool JsonField::AsBool() const {
  if (!json_->is_boolean()) Refuse("true or false");
  return json_->get<bool>();
}

double JsonField::AsNumber() const {
  if (!json_->is_number()) Refuse("a number");
  return json_->get<double>();
}

int64_t JsonField::AsInteger(int64_t least, int64_t most) const {
  const std::string expected = absl::StrCat("an integer from ", least, " to ", most);
  if (!json_->is_number_integer()) Refuse(expected);
  if (json_->is_number_unsigned() && json_->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) Refuse(expected);
  const int64_t value = json_->get<int64_t>();
  if (value < least || value > most) Refuse(expected);
  return value;
}

size_t JsonField::AsOneOf(std::initializer_list<const char*> words) const {
  std::string expected;
  size_t i = 0;
  for (const char* word : words) {
    if (json_->is_string() && json_->get<std::string>() == word) return i;
    absl::StrAppend(&expected, i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", word);
    ++i;
  }
  Refuse(expected);
}

}  // namespace strandcore
