// A redo file or a claim from anywhere: it is read without harm, and what is accepted can be walked
// to its end. Each input is read as it is and with its checksums made right, which is how it comes
// to what they guard.
#include <cstdint>
#include <string>
#include <vector>

#include "redo/file_walk.h"
#include "store/bytes_out.h"
#include "support/hash.h"

namespace wherry::redo {
namespace {

constexpr std::size_t kEnd = 24;

// Puts the checksum of [from, at) at `at`.
void seal(std::vector<std::byte>& bytes, std::size_t from, std::size_t at) {
  store::put_le(bytes.data() + at, crc32c_of(Bytes(bytes).subspan(from, at - from)), 4);
}

// A part that says at its byte 12 how long it is; where it ends.
std::size_t mend_part(std::vector<std::byte>& bytes, std::size_t from) {
  if (from > bytes.size() || bytes.size() - from < 20) return from;
  const std::size_t size = load_le(bytes.data() + from + 12, 4);
  if (size < 20 || size > bytes.size() - from) return from;
  seal(bytes, from, from + size - 4);
  return from + size;
}

void mend_blocks(std::vector<std::byte>& bytes, std::size_t at) {
  constexpr std::size_t kFrame = store::kBlockHead + store::kBlockTail;
  while (bytes.size() - at >= kFrame && as_text(Bytes(bytes).subspan(at, 4)) == "WBLK") {
    seal(bytes, at, at + store::kBlockHead - 4);
    const std::size_t stored = load_le(bytes.data() + at + 4, 4);
    if (stored > bytes.size() - at - kFrame) return;
    seal(bytes, at + store::kBlockHead, at + store::kBlockHead + stored);
    at += kFrame + stored;
  }
}

void mend(std::vector<std::byte>& bytes) {
  mend_blocks(bytes, mend_part(bytes, 0));
  if (bytes.size() < kEnd) return;
  const std::size_t end = bytes.size() - kEnd;
  mend_part(bytes, load_le(bytes.data() + end, 8));
  seal(bytes, end, end + 12);
}

void read(Bytes bytes) {
  (void)decode_claim(bytes, "claim");
  std::size_t size = 0;
  const Result<FileHeader> header = decode_header(bytes, "file", size);
  if (!header.ok()) return;
  const Expected expected{header.value().feed, header.value().epoch, header.value().number, {}, {}};
  Result<FileWalk> walk = FileWalk::open(bytes, "file", expected);
  if (!walk.ok()) return;
  for (;;) {
    const auto block = walk.value().next();
    if (!block.ok() || !block.value()) return;
  }
}

}  // namespace
}  // namespace wherry::redo

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const wherry::Bytes input(reinterpret_cast<const std::byte*>(data), size);
  wherry::redo::read(input);
  std::vector<std::byte> mended(input.begin(), input.end());
  wherry::redo::mend(mended);
  wherry::redo::read(mended);
  return 0;
}
