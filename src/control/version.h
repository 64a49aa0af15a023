// The version of the program. Any thread.
#pragma once

#include <string_view>

namespace wherry::control {

std::string_view version();

}  // namespace wherry::control
