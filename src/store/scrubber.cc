#include "store/scrubber.h"

#include <fmt/format.h>

#include "store/segment_walk.h"

namespace wherry::store {

void Scrubber::run() {
  for (const Segment& segment : segments_) {
    const Status done = scrub(segment);
    const bool gone = !wanted(segment);
    shared_.with([&](State& state) {
      --state.scrub_left;
      if (!done.ok() && !gone && !state.damage) state.damage = done.error();
    });
    if (shared_.read([](const State& state) { return state.stopping; })) return;
  }
}

// Retention may remove a segment while it is read.
bool Scrubber::wanted(const Segment& segment) const {
  return shared_.read([&](const State& state) {
    return !state.stopping && !state.segments.empty() &&
           state.segments.front().header.number <= segment.header.number;
  });
}

Status Scrubber::scrub(const Segment& segment) {
  if (!wanted(segment)) return Unit{};
  const Result<File> file = File::open_to_read(segment.path);
  if (!file.ok()) return file.error();
  Result<PlaceTracker> tracker = PlaceTracker::make(segment.header.dialect, segment.header.before);
  if (!tracker.ok()) return tracker.error().within(segment.path);
  SegmentWalk walk(segment, file.value(), std::move(tracker).value());
  while (true) {
    const Result<bool> more = walk.next(segment.footer);
    if (!more.ok()) return more.error();
    if (!more.value()) break;
    if (!wanted(segment)) return Unit{};
  }
  if (walk.end() != segment.content.end || walk.tracker().place() != segment.content.after) {
    return Error{Errc::malformed,
                 fmt::format("{}, byte {}: the footer contradicts the blocks (to cseq {})",
                             segment.path, segment.footer, segment.content.after.cseq)};
  }
  return Unit{};
}

}  // namespace wherry::store
