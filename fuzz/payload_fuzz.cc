// Input: the body of a transaction payload event. Its events are walked as the stream would.

#include <cstdlib>

#include "decode/rows.h"
#include "formats.h"

namespace wherry::decode {
namespace {

void run(const std::uint8_t* input, std::size_t size) {
  constexpr std::size_t kBytesMax = 1 << 20;
  const Bytes body(reinterpret_cast<const std::byte*>(input), size);
  const auto payload = decode_transaction_payload(body, kBytesMax);
  if (!payload.ok()) return;
  if (payload.value().bytes.size() > kBytesMax) std::abort();
  for (const Bytes event : payload.value().events) {
    const auto header = decode_header(event);
    if (!header.ok()) continue;
    const auto inner = event_body(event, format_for(false), false);
    if (inner.ok() && header.value().type == EventType::table_map) {
      (void)decode_table_map(inner.value(), format_for(false));
    }
  }
}

}  // namespace
}  // namespace wherry::decode

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  wherry::decode::run(input, size);
  return 0;
}
