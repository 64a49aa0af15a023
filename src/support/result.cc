#include "support/result.h"

namespace wherry {

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::usage:
      return "usage";
    case Errc::refused:
      return "refused";
    case Errc::truncated:
      return "truncated";
    case Errc::malformed:
      return "malformed";
    case Errc::unsupported:
      return "unsupported";
    case Errc::network:
      return "network";
    case Errc::timeout:
      return "timeout";
    case Errc::server:
      return "server";
    case Errc::conflict:
      return "conflict";
    case Errc::lost:
      return "lost";
    case Errc::io:
      return "io";
    case Errc::interrupted:
      return "interrupted";
    case Errc::differs:
      return "differs";
  }
  return "unknown";
}

}  // namespace wherry
