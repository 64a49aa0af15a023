// No answer of a server makes the XML reader do more than refuse it, and what it reads it can
// write.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "storage/xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto read = wherry::storage::parse_xml(text);
  if (read.ok() && read.value().name.empty()) std::abort();
  const auto again = wherry::storage::parse_xml("<a>" + wherry::storage::xml_text(text) + "</a>");
  if (!again.ok() || again.value().text != text) std::abort();
  return 0;
}
