// A segment file from anywhere: header, footer and every block of it are read without harm, and
// what is accepted can be walked to its end. Each input is read as it is and with its checksums
// made right, which is how it comes to what they guard.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "store/bytes_out.h"
#include "store/segment_walk.h"
#include "support/hash.h"

namespace wherry::store {
namespace {

// Puts the checksum of [from, at) at `at`.
void seal(std::vector<std::byte>& bytes, std::size_t from, std::size_t at) {
  put_le(bytes.data() + at, crc32c_of(Bytes(bytes).subspan(from, at - from)), 4);
}

// Where the blocks begin.
std::size_t mend_header(std::vector<std::byte>& bytes) {
  if (bytes.size() < 20) return 0;
  const std::size_t size = load_le(bytes.data() + 12, 4);
  if (size < 20 || size > bytes.size()) return 0;
  seal(bytes, 0, size - 4);
  return size;
}

void mend_blocks(std::vector<std::byte>& bytes, std::size_t at) {
  constexpr std::size_t kFrame = kBlockHead + kBlockTail;
  while (bytes.size() - at >= kFrame && as_text(Bytes(bytes).subspan(at, 4)) == "WBLK") {
    seal(bytes, at, at + kBlockHead - 4);
    const std::size_t stored = load_le(bytes.data() + at + 4, 4);
    if (stored > bytes.size() - at - kFrame) return;
    seal(bytes, at + kBlockHead, at + kBlockHead + stored);
    at += kFrame + stored;
  }
}

void mend_footer(std::vector<std::byte>& bytes) {
  constexpr std::size_t kHead = 16;
  constexpr std::size_t kEnd = 24;
  if (bytes.size() < kHead + 4 + kEnd) return;
  const std::size_t end = bytes.size() - kEnd;
  seal(bytes, end, end + 12);
  const std::size_t offset = load_le(bytes.data() + end, 8);
  const std::size_t size = load_le(bytes.data() + end + 8, 4);
  if (size < kHead + 4 || size > end || offset != end - size) return;
  seal(bytes, offset, offset + 12);
  seal(bytes, offset + kHead, end - 4);
}

void run(Bytes input) {
  const int memory = ::memfd_create("segment", 0);
  if (memory < 0) return;
  const std::string path = "/proc/self/fd/" + std::to_string(memory);
  const Result<File> file = File::open_to_write(path, {});
  if (file.ok() && file.value().write(0, std::span(&input, 1)).ok()) {
    Segment segment;
    Result<SegmentHeader> header = read_segment_header(file.value(), segment.blocks);
    const auto footer = read_footer(file.value());
    segment.footer = footer.ok() && footer.value() ? footer.value()->offset : input.size();
    BlockReader reader;  // a block at the input's begin too: most inputs are no whole segment
    (void)reader.read(file.value(), 0, 0);
    RecordWalk records(input);
    for (Commit commit; records.next();) (void)records.commit(commit);
    if (header.ok()) {
      segment.header = std::move(header).value();
      Result<PlaceTracker> tracker =
          PlaceTracker::make(segment.header.dialect, segment.header.before);
      if (tracker.ok()) {
        SegmentWalk walk(segment, file.value(), std::move(tracker).value());
        for (Result<bool> more = true; more.ok() && more.value();) more = walk.next(segment.footer);
      }
    }
  }
  ::close(memory);
}

}  // namespace
}  // namespace wherry::store

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  using namespace wherry::store;
  const auto* const begin = reinterpret_cast<const std::byte*>(input);
  run({begin, size});
  std::vector<std::byte> mended(begin, begin + size);
  mend_blocks(mended, mend_header(mended));
  mend_footer(mended);
  run(mended);
  return 0;
}
