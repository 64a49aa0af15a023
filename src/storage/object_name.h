// What a name may look like, so that each kind of storage can keep it and lists it in the same
// order. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace wherry::storage {

// What begins a part of a name that a storage uses for itself; such objects are never listed.
inline constexpr std::string_view kOwnMark = ".wherry-";

// Parts of ASCII letters, digits, '-', '_' and '.', joined by '/'; 200 bytes a part, 700 in all; no
// part is "." or ".." or begins with kOwnMark. Errc::usage otherwise.
Status check_name(std::string_view name);
Status check_names(std::span<const std::string> names);

// What a list may begin with: any beginning of a name, also none.
Status check_prefix(std::string_view prefix);

}  // namespace wherry::storage
