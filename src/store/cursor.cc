#include "store/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace wherry::store {
namespace {

// The offset of the block that holds the point: the last one that begins at or before it.
std::uint64_t find_block(const std::vector<IndexEntry>& index, const Point& point) {
  const auto behind =
      std::upper_bound(index.begin(), index.end(), point,
                       [](const Point& at, const IndexEntry& entry) { return at < entry.first; });
  return behind == index.begin() ? 0 : std::prev(behind)->offset;
}

}  // namespace

Cursor::Cursor(Shared& shared, const Point& from) : shared_(shared), point_(from), at_(from) {}

void Cursor::interrupt() {
  interrupted_ = true;
  // Through the lock: a cursor between its look at the flag and its sleep holds it.
  shared_.with([](State&) {});
}

std::shared_ptr<const void> Cursor::hold() {
  if (chunk_ != nullptr) return chunk_;
  return disk_.reader.hold();
}

Definition Cursor::definition(std::uint64_t id) const {
  return shared_.read([&](const State& state) { return find_definition(state, id); });
}

Result<Cursor::Step> Cursor::next(std::chrono::milliseconds wait) {
  while (true) {
    if (interrupted_.load(std::memory_order_relaxed))
      return Error{Errc::interrupted, "the reader of the log was interrupted"};
    Step step = Step::nothing;
    while (at_.cseq <= visible_ && walk_.next()) {
      if (deliver(step)) return step;
    }
    if (walk_.failed()) {
      return Error{
          Errc::malformed,
          fmt::format("transaction {} of the log holds bytes that are no record", at_.cseq)};
    }
    const Result<bool> found = find_more(wait);
    if (!found.ok()) return found.error();
    if (!found.value()) return Step::nothing;
  }
}

// False: the record is before what is wanted.
bool Cursor::deliver(Step& step) {
  if (walk_.kind() == RecordKind::event) {
    first_row_ = at_.row;
    if (!pass({at_.cseq, at_.row + walk_.rows()})) return false;
    event_ = walk_.event();
    step = Step::event;
    return true;
  }
  if (!pass({at_.cseq + 1, 0})) return false;
  walk_.commit(commit_);
  step = Step::commit;
  return true;
}

bool Cursor::pass(const Point& behind) {
  at_ = behind;
  if (behind <= point_) return false;
  point_ = behind;
  return true;
}

// False: the time passed.
Result<bool> Cursor::find_more(std::chrono::milliseconds wait) {
  const bool there = shared_.wait_for(wait, [&](const State& state) {
    return state.visible >= point_.cseq || state.error || state.stopping || interrupted_;
  });
  if (!there) return false;
  Result<Found> found = shared_.read([&](const State& state) { return locate(state); });
  if (!found.ok()) return found.error();
  visible_ = found.value().visible;
  if (chunk_ == nullptr && !walk_.done()) return true;  // the block went on behind what was visible
  if (found.value().chunk != nullptr) {
    read_chunk(found.value());
    return true;
  }
  Status read = read_segment(std::move(found).value());
  if (!read.ok()) return read.error();
  return true;
}

Result<Cursor::Found> Cursor::locate(const State& state) const {
  if (interrupted_ || state.stopping)
    return Error{Errc::interrupted, "the reader of the log was interrupted"};
  if (state.visible < point_.cseq) return *state.error;  // it was waited for one of these
  Found found;
  found.visible = state.visible;
  const auto chunk = std::find_if(state.tail.rbegin(), state.tail.rend(),
                                  [&](const auto& at) { return at->first <= point_; });
  if (chunk != state.tail.rend()) {
    found.chunk = *chunk;
    found.ready = (*chunk)->ready;
    return found;
  }
  const auto behind = std::upper_bound(
      state.segments.begin(), state.segments.end(), point_,
      [](const Point& at, const Segment& segment) { return at < segment.header.first; });
  if (behind == state.segments.begin()) {
    const Point begin =
        state.segments.empty() ? Point{state.visible + 1, 0} : state.segments.front().header.first;
    return Error{Errc::lost, fmt::format("transaction {} is no longer in the log, which begins "
                                         "with {}",
                                         point_.cseq, begin.cseq)};
  }
  const Segment& segment = *std::prev(behind);
  found.path = segment.path;
  found.segment = segment.header.number;
  found.limit = segment.footer;
  if (disk_.segment == found.segment && disk_.next_offset != 0)
    found.offset = disk_.next_offset;
  else if (!segment.sealed)
    found.offset = find_block(segment.content.index, point_);
  return found;
}

void Cursor::read_chunk(const Found& found) {
  const Bytes body = found.chunk->body(0, found.ready);
  if (found.chunk == chunk_) {
    walk_ = RecordWalk(body, walk_.offset());
    return;
  }
  disk_.next_offset = 0;
  chunk_ = found.chunk;
  at_ = chunk_->first;
  walk_ = RecordWalk(body);
}

Status Cursor::read_segment(Found found) {
  chunk_.reset();
  walk_ = RecordWalk();
  Status opened = open_segment(found);
  if (!opened.ok()) return opened;
  while (found.offset < found.limit) {
    const Result<BlockHeader> header =
        disk_.reader.read(*disk_.file, found.offset, point_.cseq - 1);
    if (!header.ok()) return header.error();
    found.offset += framed_bytes(header.value());
    if (header.value().kind == BlockKind::definitions) continue;
    disk_.next_offset = found.offset;
    at_ = header.value().first;
    walk_ = RecordWalk(disk_.reader.body());
    return Unit{};
  }
  disk_.next_offset = 0;
  return Error{Errc::malformed, fmt::format("{}, byte {}: transaction {} is not in the segment",
                                            found.path, found.limit, point_.cseq)};
}

Status Cursor::open_segment(Found& found) {
  if (disk_.file == nullptr || disk_.segment != found.segment) {
    Result<File> file = File::open_to_read(found.path);
    if (!file.ok()) return file.error();
    disk_.file = std::make_unique<File>(std::move(file).value());
    disk_.segment = found.segment;
  }
  if (found.offset != 0) return Unit{};
  Result<std::optional<FoundFooter>> footer = read_footer(*disk_.file);
  if (!footer.ok()) return footer.error();
  if (!footer.value())
    return Error{Errc::truncated, fmt::format("{}: the footer is gone", found.path)};
  found.offset = find_block(footer.value()->footer.index, point_);
  if (found.offset != 0) return Unit{};
  return Error{Errc::malformed, fmt::format("{}: transaction {} is before the first block",
                                            found.path, point_.cseq)};
}

}  // namespace wherry::store
