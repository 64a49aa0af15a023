#include "storage/object_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/ascii.h"

namespace wherry::storage {
namespace {

constexpr std::size_t kNameMax = 700;
constexpr std::size_t kPartMax = 200;

bool allowed(char c) {
  return ascii::letter(c) || ascii::digit(c) || c == '-' || c == '_' || c == '.' || c == '/';
}

Error refused(std::string_view name, std::string_view why) {
  return {Errc::usage, fmt::format("no object is called \"{}\": {}", ascii::shown(name), why)};
}

}  // namespace

Status check_prefix(std::string_view prefix) {
  if (prefix.size() > kNameMax) return refused(prefix, "it is longer than 700 bytes");
  if (!std::all_of(prefix.begin(), prefix.end(), allowed))
    return refused(prefix, "only ASCII letters, digits, '-', '_', '.' and '/' are allowed");
  if (prefix.starts_with('/')) return refused(prefix, "it begins with '/'");
  return Unit{};
}

Status check_name(std::string_view name) {
  if (Status status = check_prefix(name); !status.ok()) return status;
  for (std::string_view rest = name;;) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (part.empty()) return refused(name, "a part of it is empty");
    if (part.size() > kPartMax) return refused(name, "a part of it is longer than 200 bytes");
    if (part == "." || part == "..") return refused(name, "'.' and '..' are folders");
    if (part.starts_with(kOwnMark)) return refused(name, "the storage itself uses such names");
    if (end == rest.size()) return Unit{};
    rest.remove_prefix(end + 1);
  }
}

Status check_names(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (Status status = check_name(name); !status.ok()) return status;
  }
  return Unit{};
}

}  // namespace wherry::storage
