// A segment file from anywhere: header, footer and every block of it are read without harm, and
// what is accepted can be walked to its end.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "store/segment_walk.h"

namespace wherry::store {
namespace {

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
  wherry::store::run({reinterpret_cast<const std::byte*>(input), size});
  return 0;
}
