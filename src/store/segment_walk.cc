#include "store/segment_walk.h"

#include <fmt/format.h>

#include <utility>

namespace wherry::store {

Result<BodySummary> summarize(Bytes body, const Point& first, PlaceTracker& tracker) {
  BodySummary summary;
  summary.end = first;
  std::uint64_t last_version = 0;
  RecordWalk walk(body);
  while (walk.next()) {
    if (walk.kind() == RecordKind::event) {
      const std::uint64_t version = walk.table_version();
      if (version != last_version) summary.table_versions.insert(version);
      last_version = version;
      summary.end.row += walk.rows();
      continue;
    }
    Commit commit;
    if (!walk.commit(commit)) return Error{Errc::malformed, "a commit that cannot be read"};
    const Place& newest = tracker.newest();
    if (commit.cseq != summary.end.cseq || commit.commit_us < newest.commit_us) {
      return Error{Errc::malformed,
                   fmt::format("commit {} where {} is next", commit.cseq, summary.end.cseq)};
    }
    tracker.add(commit);
    summary.end = {commit.cseq + 1, 0};
  }
  if (walk.failed()) return Error{Errc::malformed, "bytes that are no record"};
  summary.table_versions.erase(0);
  return summary;
}

SegmentWalk::SegmentWalk(const Segment& segment, const File& file, PlaceTracker tracker)
    : segment_(segment),
      file_(file),
      tracker_(std::move(tracker)),
      end_(segment.header.first),
      offset_(segment.blocks),
      open_(segment.header.first.row > 0) {}

Result<bool> SegmentWalk::next(std::uint64_t limit) {
  if (offset_ >= limit) return false;
  const std::uint64_t seen = end_.row == 0 ? end_.cseq - 1 : end_.cseq;
  Result<BlockHeader> header = reader_.read(file_, offset_, seen);
  if (!header.ok()) return header.error();
  header_ = header.value();
  Status followed = follow(offset_);
  if (!followed.ok()) return followed.error().within(place_of(file_.path(), offset_, header_));
  offset_ += framed_bytes(header_);
  return true;
}

Status SegmentWalk::follow(std::uint64_t at) {
  if (header_.kind == BlockKind::definitions)
    return decode_definitions(reader_.body(), definitions_);
  if (header_.first != end_ || header_.continues != open_)
    return Error{Errc::malformed, fmt::format("the block does not follow cseq {}", end_.cseq)};
  const Result<BodySummary> summary = summarize(reader_.body(), end_, tracker_);
  if (!summary.ok()) return summary.error();
  end_ = summary.value().end;
  open_ = end_.row > 0;
  if (open_ != header_.open || header_.last_cseq != (open_ ? end_.cseq : end_.cseq - 1))
    return Error{Errc::malformed, "the block's header contradicts its records"};
  for (const std::uint64_t version : summary.value().table_versions) {
    if (!definitions_.contains(version))
      return Error{Errc::malformed, fmt::format("no definition of table version {}", version)};
  }
  index_.push_back({at, header_.first, tracker_.newest()});
  return Unit{};
}

}  // namespace wherry::store
