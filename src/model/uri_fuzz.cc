// Addresses from the command line: no input crashes, and no message or redacted form shows a
// password that the URI holds.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/uri.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const wherry::Result<wherry::Endpoint> endpoint = wherry::parse_endpoint(text);
  if (endpoint.ok() && endpoint.value().to_string().empty()) std::abort();
  (void)wherry::redacted(text);

  // A secret put where passwords stand, in front of whatever the input is.
  constexpr std::string_view kSecret = "Zq7Secret7qZ";
  if (text.find(kSecret) != std::string::npos) return 0;
  const std::string with_secret = "mysql://user:" + std::string(kSecret) + "@" + text;
  const wherry::Result<wherry::Endpoint> other = wherry::parse_endpoint(with_secret);
  const std::string shown = wherry::redacted(with_secret) + "\n" +
                            (other.ok() ? other.value().to_string() : other.error().what);
  if (shown.find(kSecret) != std::string::npos) std::abort();
  return 0;
}
