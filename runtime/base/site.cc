#include "runtime/base/site.h"

#include <cstring>

namespace strandcore {

std::string Site::ToString() const {
  if (!known()) return "";
  const char* slash = std::strrchr(file, '/');
  return std::string(slash == nullptr ? file : slash + 1) + ":" + std::to_string(line);
}

}  // namespace strandcore
