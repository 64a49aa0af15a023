#include "control/version.h"

namespace wherry::control {

std::string_view version() { return WHERRY_VERSION; }

}  // namespace wherry::control
