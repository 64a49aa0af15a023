#include "store/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "store/log.h"

namespace wherry::store {
namespace {

// The newest place of a segment, without the GTID set for unsealed ones.
Place newest(const Segment& segment) {
  if (segment.sealed) return segment.content.after;
  return segment.content.index.empty() ? segment.header.before : segment.content.index.back().last;
}

// The first segment in which the condition comes true; null: in none.
template <typename P>
std::optional<Segment> first_where(const State& state, P&& reached) {
  const auto found = std::partition_point(state.segments.begin(), state.segments.end(),
                                          [&](const Segment& at) { return !reached(at); });
  if (found == state.segments.end()) return std::nullopt;
  return *found;
}

// The first commit of a block after which the condition holds, or nothing.
template <typename P>
Result<std::optional<Place>> walk_commits(Bytes body, PlaceTracker& tracker, P&& reached) {
  RecordWalk walk(body);
  while (walk.next()) {
    if (walk.kind() != RecordKind::commit) continue;
    Commit commit;
    if (!walk.commit(commit)) return Error{Errc::malformed, "a commit that cannot be read"};
    tracker.add(commit);
    Result<bool> there = reached(tracker);
    if (!there.ok()) return there.error();
    if (there.value()) return std::optional<Place>(tracker.place());
  }
  return std::optional<Place>();
}

// The first commit of a segment after which the condition, which stays true once it is, holds.
template <typename P>
Result<std::optional<Place>> walk_segment(const Segment& segment, P&& reached) {
  const Result<File> file = File::open_to_read(segment.path);
  if (!file.ok()) return file.error();
  Result<PlaceTracker> start = PlaceTracker::make(segment.header.dialect, segment.header.before);
  if (!start.ok()) return start.error();
  PlaceTracker before = start.value();
  SegmentWalk walk(segment, file.value(), std::move(start).value());
  while (true) {
    const Result<bool> more = walk.next(segment.footer);
    if (!more.ok()) return more.error();
    if (!more.value()) return std::optional<Place>();
    const Result<bool> there = reached(walk.tracker());
    if (!there.ok()) return there.error();
    if (there.value()) return walk_commits(walk.body(), before, reached);
    before = walk.tracker();
  }
}

}  // namespace

// Everything published is in the files from here on, synced or not.
Result<Shared*> Lookup::written() {
  const std::uint64_t wanted = log_.shared_.with([](State& state) {
    return state.write_wanted = std::max(state.write_wanted, state.visible);
  });
  const Status done = log_.shared_.wait(
      [&](const State& state) {
        return state.written.cseq >= wanted || state.error || state.stopping;
      },
      [&](State& state) -> Status {
        if (state.written.cseq >= wanted) return Unit{};
        if (state.error) return *state.error;
        return Error{Errc::interrupted, "the log was stopped"};
      });
  if (!done.ok()) return done.error();
  return &log_.shared_;
}

Result<std::optional<Place>> Lookup::by_cseq(std::uint64_t cseq) {
  return find([&](const Place& place) { return place.cseq >= cseq; });
}

Result<std::optional<Place>> Lookup::by_time(std::uint64_t commit_us) {
  return find([&](const Place& place) { return place.commit_us >= commit_us; });
}

Result<std::optional<Place>> Lookup::by_file(std::uint64_t generation, const FilePosition& file) {
  return find([&](const Place& place) {
    if (place.generation != generation) return place.generation > generation;
    return compare(place.file, file) >= 0;
  });
}

Result<std::optional<Place>> Lookup::find(const Reached& reached) {
  const Result<Shared*> shared = written();
  if (!shared.ok()) return shared.error();
  const auto found =
      shared.value()->read([&](const State& state) -> Result<std::optional<Segment>> {
        if (state.segments.front().header.before.cseq > 0 &&
            reached(state.segments.front().header.before)) {
          return Error{Errc::lost, fmt::format("what is looked for is before transaction {}, with "
                                               "which the log begins",
                                               state.segments.front().header.first.cseq)};
        }
        return first_where(state, [&](const Segment& at) { return reached(newest(at)); });
      });
  if (!found.ok()) return found.error();
  if (!found.value()) return std::optional<Place>();
  return find_in(*found.value(), reached);
}

Result<std::optional<Place>> Lookup::find_in(const Segment& segment, const Reached& reached) {
  const Result<File> file = File::open_to_read(segment.path);
  if (!file.ok()) return file.error();
  std::vector<IndexEntry> index = segment.content.index;
  if (segment.sealed) {
    Result<std::optional<FoundFooter>> footer = read_footer(file.value());
    if (!footer.ok()) return footer.error();
    if (footer.value()) index = std::move(footer.value()->footer.index);
  }
  const auto entry = std::partition_point(index.begin(), index.end(),
                                          [&](const IndexEntry& at) { return !reached(at.last); });
  if (entry == index.end())
    return Error{Errc::malformed, segment.path + ": the index contradicts the footer"};
  BlockReader reader;
  const Result<BlockHeader> header =
      reader.read(file.value(), entry->offset, entry->first.cseq - 1);
  if (!header.ok()) return header.error();
  Result<PlaceTracker> tracker = PlaceTracker::make(segment.header.dialect, {});
  if (!tracker.ok()) return tracker.error();
  Result<std::optional<Place>> place =
      walk_commits(reader.body(), tracker.value(),
                   [&](const PlaceTracker& at) -> Result<bool> { return reached(at.newest()); });
  if (place.ok() && place.value()) place.value()->gtid.clear();  // the tracker saw one block only
  return place;
}

Result<std::optional<Place>> Lookup::by_gtid(std::string_view set) {
  const Result<Shared*> shared = written();
  if (!shared.ok()) return shared.error();
  const Dialect dialect = log_.options_.dialect;
  const Result<bool> readable = gtid_contains(dialect, set, "");
  if (!readable.ok()) return readable.error();
  const auto holds = [&](const Place& place) {
    const Result<bool> contained = gtid_contains(dialect, place.gtid, set);
    return contained.ok() && contained.value();
  };
  const auto same = [&](const Place& place) {
    const Result<bool> contained = gtid_contains(dialect, set, place.gtid);
    return contained.ok() && contained.value();
  };
  std::optional<Place> at_begin;
  const auto found =
      shared.value()->read([&](const State& state) -> Result<std::optional<Segment>> {
        const Place& begin = state.segments.front().header.before;
        if (holds(begin) && !same(begin)) {
          return Error{Errc::lost, fmt::format("the set was done before transaction {}, with which "
                                               "the log begins",
                                               state.segments.front().header.first.cseq)};
        }
        if (holds(begin)) at_begin = begin;
        // An unsealed segment has no set at its end: it is the one if no other is.
        return first_where(
            state, [&](const Segment& at) { return !at.sealed || holds(at.content.after); });
      });
  if (!found.ok()) return found.error();
  if (at_begin) return at_begin;
  if (!found.value()) return std::optional<Place>();
  return walk_segment(*found.value(), [&](const PlaceTracker& at) { return at.holds(set); });
}

Result<Place> Lookup::end() {
  const Result<Shared*> shared = written();
  if (!shared.ok()) return shared.error();
  return shared.value()->read([](const State& state) { return state.written; });
}

Result<Place> Lookup::place_after(std::uint64_t cseq) {
  const Result<Shared*> shared = written();
  if (!shared.ok()) return shared.error();
  struct At {
    std::optional<Place> edge;
    std::optional<Segment> segment;
  };
  const At at = shared.value()->read([&](const State& state) -> At {
    if (state.written.cseq == cseq) return {state.written, {}};
    for (const Segment& segment : state.segments) {
      if (segment.header.before.cseq == cseq) return {segment.header.before, {}};
    }
    return {{}, first_where(state, [&](const Segment& one) { return newest(one).cseq >= cseq; })};
  });
  if (at.edge) return *at.edge;
  const Error none{Errc::lost, fmt::format("transaction {} is not in the log", cseq)};
  if (!at.segment || at.segment->header.before.cseq > cseq) return none;
  Result<std::optional<Place>> place = walk_segment(
      *at.segment,
      [&](const PlaceTracker& tracker) -> Result<bool> { return tracker.newest().cseq >= cseq; });
  if (!place.ok()) return place.error();
  if (!place.value()) return none;
  return *std::move(place).value();
}

}  // namespace wherry::store
