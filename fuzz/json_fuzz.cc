// Input: one byte, then binary JSON (0) or the diffs of a partial update (1). The text may not be
// longer than the input explains.

#include <cstdlib>

#include "decode/value.h"

namespace wherry::decode {
namespace {

void run(const std::uint8_t* input, std::size_t size) {
  if (size < 1) return;
  const Bytes bytes(reinterpret_cast<const std::byte*>(input) + 1, size - 1);
  std::string text;
  if ((input[0] & 1) == 0) {
    (void)append_json(bytes, text);
  } else {
    Cell cell;
    cell.data = bytes.data();
    cell.size = static_cast<std::uint32_t>(bytes.size());
    const auto diffs = decode_json_diffs(cell);
    if (diffs.ok()) {
      for (const JsonDiff& diff : diffs.value()) text += diff.value;
    }
  }
  // One byte becomes at most "\u00xx" or the longest number of a three-byte entry.
  if (text.size() > 400 + 40 * size) std::abort();
}

}  // namespace
}  // namespace wherry::decode

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  wherry::decode::run(input, size);
  return 0;
}
