#include "store/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace wherry::store {
namespace {

Result<bool> zero_to_end(const File& file, std::uint64_t offset) {
  std::array<std::byte, 64 << 10> bytes{};
  while (true) {
    const Result<std::size_t> got = file.read(offset, bytes);
    if (!got.ok()) return got.error();
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(got.value());
    if (std::any_of(bytes.begin(), end, [](std::byte byte) { return byte != std::byte{0}; }))
      return false;
    if (got.value() < bytes.size()) return true;
    offset += got.value();
  }
}

// Torn is what an interrupted write leaves: the file ends inside the block, or only zeros stand
// from some byte of it to the end of the file. Bytes that are there and wrong are damage.
Result<bool> is_torn(const File& file, std::uint64_t offset) {
  Result<bool> footer = footer_is_cut(file, offset);
  if (!footer.ok() || footer.value()) return footer;
  const Result<std::uint64_t> size = file.size();
  if (!size.ok()) return size.error();
  std::array<std::byte, kBlockHead> head{};
  const Result<std::size_t> got = file.read(offset, head);
  if (!got.ok()) return got.error();
  if (got.value() < head.size()) return true;
  const Result<BlockHeader> header = decode_block_header(head);
  if (!header.ok()) return zero_to_end(file, offset);
  const std::uint64_t end = offset + framed_bytes(header.value());
  if (end > size.value()) return true;
  return zero_to_end(file, end - 4);  // a whole block ends in a mark that is not zero
}

Result<Segment> load(const Options& options, std::uint64_t number) {
  Segment segment;
  segment.path = segment_path(options.folder, number);
  const Result<File> file = File::open_to_read(segment.path);
  if (!file.ok()) return file.error();
  Result<SegmentHeader> header = read_segment_header(file.value(), segment.blocks);
  if (!header.ok()) return header.error();
  segment.header = std::move(header).value();
  if (segment.header.number != number) {
    return Error{Errc::malformed, fmt::format("{} is segment {} by its header", segment.path,
                                              segment.header.number)};
  }
  if (segment.header.identity != options.identity || segment.header.dialect != options.dialect) {
    return Error{Errc::refused,
                 fmt::format("{} is of another source ({}); give this one a folder of its own",
                             segment.path, segment.header.identity)};
  }
  const Result<std::uint64_t> size = file.value().size();
  if (!size.ok()) return size.error();
  segment.bytes = segment.footer = size.value();
  Result<std::optional<FoundFooter>> footer = read_footer(file.value());
  if (!footer.ok()) return footer.error();
  segment.sealed = footer.value().has_value();
  if (segment.sealed) {
    segment.footer = footer.value()->offset;
    segment.content = std::move(footer.value()->footer);
    segment.content.index.clear();
    segment.content.index.shrink_to_fit();
  }
  return segment;
}

Result<std::vector<Segment>> load_all(const Options& options) {
  const auto numbers = list_segments(options.folder);
  if (!numbers.ok()) return numbers.error();
  std::vector<Segment> segments;
  for (const std::uint64_t number : numbers.value()) {
    if (!segments.empty() && segments.back().header.number + 1 != number) {
      return Error{Errc::lost,
                   fmt::format("{} is missing (after cseq {})",
                               segment_path(options.folder, segments.back().header.number + 1),
                               segments.back().content.after.cseq)};
    }
    if (!segments.empty() && !segments.back().sealed) {
      return Error{Errc::truncated,
                   fmt::format("{}, byte {} (after cseq {}): the file has no footer though it is "
                               "not the last one",
                               segments.back().path, segments.back().bytes,
                               segments.back().header.before.cseq)};
    }
    Result<Segment> segment = load(options, number);
    if (!segment.ok()) return segment.error();
    if (!segments.empty() && segments.back().content.end != segment.value().header.first) {
      return Error{Errc::malformed,
                   fmt::format("{} begins at cseq {}, but the one before it ends before cseq {}",
                               segment.value().path, segment.value().header.first.cseq,
                               segments.back().content.end.cseq)};
    }
    segments.push_back(std::move(segment).value());
  }
  return segments;
}

struct Walked {
  PlaceTracker tracker;
  std::string cut;  // empty: the segment is whole
};

// Walks the segment to the limit and puts what it finds in its content. cuts: a torn tail may be
// taken off.
Result<Walked> walk_segment(Segment& segment, std::uint64_t limit, bool cuts) {
  const Result<File> file = File::open_to_read(segment.path);
  if (!file.ok()) return file.error();
  Result<PlaceTracker> tracker = PlaceTracker::make(segment.header.dialect, segment.header.before);
  if (!tracker.ok()) return tracker.error().within(segment.path);
  SegmentWalk walk(segment, file.value(), std::move(tracker).value());
  std::string cut;
  while (true) {
    const Result<bool> more = walk.next(limit);
    if (more.ok() && !more.value()) break;
    if (more.ok()) continue;
    const Result<bool> torn = is_torn(file.value(), walk.offset());
    if (!torn.ok()) return torn.error();
    if (!cuts || !torn.value()) return more.error();
    cut = fmt::format("{}: {} bytes of an interrupted write cut off at byte {} (after cseq {})",
                      segment.path, limit - walk.offset(), walk.offset(), walk.end().cseq - 1);
    break;
  }
  segment.footer = walk.offset();
  segment.content.end = walk.end();
  segment.content.after = walk.tracker().place();
  segment.content.index = std::move(walk.index());
  segment.content.definitions = std::move(walk.definitions());
  return Walked{walk.tracker(), std::move(cut)};
}

// The newest segment, every byte of it.
Result<Walked> verify_last(Segment& segment) {
  if (!segment.sealed) return walk_segment(segment, segment.bytes, true);
  const Segment promised = segment;
  Result<Walked> walked = walk_segment(segment, segment.footer, false);
  if (!walked.ok()) return walked;
  segment.content.index.clear();
  if (segment.content.end != promised.content.end ||
      segment.content.after != promised.content.after) {
    return Error{Errc::malformed,
                 fmt::format("{}, byte {}: the footer contradicts the blocks (to cseq {})",
                             segment.path, segment.footer, segment.content.after.cseq)};
  }
  return walked;
}

Status make_folder(const std::string& folder) {
  std::error_code failed;
  const bool made = std::filesystem::create_directories(folder, failed);
  if (failed) return Error{Errc::io, fmt::format("cannot make {}: {}", folder, failed.message())};
  if (!made) return Unit{};
  return sync_folder(std::filesystem::absolute(folder).parent_path().string());
}

// The segment in which the transaction begins is the last one now.
Result<std::uint64_t> begin_of(Segment& segment, std::uint64_t cseq) {
  std::vector<IndexEntry> index = segment.content.index;
  if (segment.sealed) {
    const Result<File> file = File::open_to_read(segment.path);
    if (!file.ok()) return file.error();
    Result<std::optional<FoundFooter>> footer = read_footer(file.value());
    if (!footer.ok()) return footer.error();
    if (footer.value()) index = std::move(footer.value()->footer.index);
  }
  const auto entry = std::find_if(index.begin(), index.end(), [&](const IndexEntry& at) {
    return at.first == Point{cseq, 0};
  });
  if (entry == index.end()) {
    return Error{Errc::malformed,
                 fmt::format("{}: no block begins with cseq {}", segment.path, cseq)};
  }
  return entry->offset;
}

}  // namespace

Result<CutBack> cut_back(const Options& options, std::vector<Segment>& segments,
                         std::uint64_t cseq) {
  while (segments.size() > 1 && segments.back().header.first.cseq == cseq &&
         segments.back().header.first.row > 0) {
    Status removed = remove_file(segments.back().path);
    if (removed.ok()) removed = sync_folder(options.folder);
    if (!removed.ok()) return removed.error();
    segments.pop_back();
  }
  Segment active = std::move(segments.back());
  segments.pop_back();
  const Result<std::uint64_t> offset = begin_of(active, cseq);
  if (!offset.ok()) return offset.error();
  Result<Walked> walked = walk_segment(active, offset.value(), false);
  if (!walked.ok()) return walked.error();
  active.sealed = false;
  return CutBack{std::move(active), std::move(walked.value().tracker)};
}

Result<Recovered> recover(const Options& options) {
  const Status made = make_folder(options.folder);
  if (!made.ok()) return made.error();
  Result<std::vector<Segment>> loaded = load_all(options);
  if (!loaded.ok()) return loaded.error();
  std::vector<Segment>& segments = loaded.value();
  if (segments.empty()) {
    Result<PlaceTracker> tracker = PlaceTracker::make(options.dialect, options.begin);
    if (!tracker.ok()) return tracker.error();
    return Recovered{{}, {}, std::move(tracker).value(), {}};
  }
  Result<Walked> walked = verify_last(segments.back());
  if (!walked.ok()) return walked.error();
  Recovered recovered{{}, {}, std::move(walked.value().tracker), {}};
  if (!walked.value().cut.empty()) recovered.cuts.push_back(walked.value().cut);
  const Point end = segments.back().content.end;
  if (end.row > 0) {
    Result<CutBack> back = cut_back(options, segments, end.cseq);
    if (!back.ok()) return back.error();
    recovered.cuts.push_back(
        fmt::format("{}: {} rows of transaction {}, which has no end, cut off at byte {}",
                    back.value().active.path, end.row, end.cseq, back.value().active.footer));
    recovered.active = std::move(back.value().active);
    recovered.tracker = std::move(back.value().tracker);
  } else if (!segments.back().sealed) {
    recovered.active = std::move(segments.back());
    segments.pop_back();
  }
  recovered.sealed = std::move(segments);
  return recovered;
}

}  // namespace wherry::store
