#include "control/fault_points.h"

#ifdef WHERRY_FAULT_POINTS
#include <cstdlib>
#include <string_view>
#endif

namespace wherry::control {

bool fault_keeps_changed_rows() {
#ifdef WHERRY_FAULT_POINTS
  const char* fault = std::getenv("WHERRY_FAULT");
  return fault != nullptr && std::string_view(fault) == "keep-changed-chunk-rows";
#else
  return false;
#endif
}

}  // namespace wherry::control
