#include "verify/table_compare.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "support/bounded_queue.h"

namespace wherry::verify {
namespace {

using Row = std::span<const mysql::FieldView>;

// The side that cuts may be this far ahead; ranges weigh little more than their keys.
constexpr std::size_t kAheadBytes = 4096;
constexpr std::size_t kParts = 65536;
constexpr unsigned kLooksMax = 8;    // at rows that differ while they may be written to
constexpr unsigned kLooksAlike = 3;  // in a row that make a difference
// Sets of parts that are read again one after the other, each a whole scan of both sides.
constexpr int kPartScansMax = 8;
constexpr std::chrono::milliseconds kPauseSlice{50};

const Error kInterrupted{Errc::interrupted, "stopped while comparing", 0};

// Runs one call in a thread of its own and the other here; the first failure counts.
Status both(const std::function<Status()>& one, const std::function<Status()>& other) {
  Status first = Unit{};
  std::thread thread([&]() noexcept { first = one(); });
  Status second = other();
  thread.join();
  return first.ok() ? second : first;
}

Status digest(RowReader& reader, const KeyRange& range, SetDigest& out) {
  RowHasher hasher;
  return reader.read(
      {range, 0}, [&] { out = {}; }, [&](Row row) { out.add(hasher.row(row)); });
}

std::size_t part_of(const Hash128& key) { return key.high % kParts; }

// The key and the row's hash; without a key the row stands for itself.
class Identifier {
 public:
  explicit Identifier(const ComparePlan& plan) : plan_(plan) {}
  RowId id(Row row) {
    const Hash128 hash = hasher_.row(row);
    return {plan_.key.empty() ? hash : hasher_.key(row, plan_.key), hash};
  }

 private:
  const ComparePlan& plan_;
  RowHasher hasher_;
};

}  // namespace

std::size_t TableCompare::CutRange::byte_size() const {
  std::size_t size = sizeof *this;
  for (const auto* key : {&range.after, &range.through}) {
    if (!*key) continue;
    for (const std::string& value : **key) size += value.size();
  }
  return size;
}

Status TableCompare::cut_ranges(RowReader& reader, const KeyRange& whole,
                                const std::function<bool(CutRange)>& push) {
  RowHasher hasher;
  KeyRange rest = whole;
  for (;;) {
    CutRange next;
    KeyValues last;
    Status done = reader.read(
        {rest, limits_.range_rows}, [&] { next.cut = {}; },
        [&](Row row) {
          next.cut.add(hasher.row(row));
          if (next.cut.rows != limits_.range_rows) return;
          last.clear();
          for (const std::size_t at : plan_.key) last.emplace_back(row[at].text());
        });
    if (!done.ok()) return done;
    next.range = rest;
    const bool more = next.cut.rows >= limits_.range_rows;
    if (more) next.range.through = last;
    if (!push(std::move(next)) || !more) return Unit{};
    rest.after = std::move(last);
  }
}

// The first of the two ends cuts and reads ahead; the other follows range by range.
Status TableCompare::scan(Ends ends, const KeyRange& whole,
                          const std::function<Status(CutRange&)>& on_range) {
  BoundedQueue<CutRange> ahead(kAheadBytes);
  const auto cut = [&] {
    Status done = cut_ranges(ends.source, whole,
                             [&](CutRange range) { return ahead.push(std::move(range)); });
    ahead.close();
    return done;
  };
  const auto follow = [&] {
    Status done = Unit{};
    while (std::optional<CutRange> range = ahead.pop()) {
      done = digest(ends.target, range->range, range->follow);
      if (done.ok()) done = on_range(*range);
      if (!done.ok()) break;
    }
    ahead.close();
    return done;
  };
  return both(cut, follow);
}

Status TableCompare::digest_both(const KeyRange& range, SetDigest& source, SetDigest& target) {
  return both([&] { return digest(ends_.source, range, source); },
              [&] { return digest(ends_.target, range, target); });
}

Status TableCompare::pause() {
  for (auto left = limits_.recheck_pause; left.count() > 0; left -= kPauseSlice) {
    if (stop_) return kInterrupted;
    std::this_thread::sleep_for(std::min(left, kPauseSlice));
  }
  return Unit{};
}

// Keeps only what differs every time.
Status TableCompare::recheck(std::vector<CutRange>& suspects) {
  for (unsigned round = 0; round < limits_.recheck && !suspects.empty(); ++round) {
    Status done = pause();
    if (!done.ok()) return done;
    std::vector<CutRange> still;
    for (CutRange& suspect : suspects) {
      done = digest_both(suspect.range, suspect.cut, suspect.follow);
      if (!done.ok()) return done;
      if (!(suspect.cut == suspect.follow)) still.push_back(std::move(suspect));
    }
    suspects = std::move(still);
  }
  return Unit{};
}

Status TableCompare::by_ranges(const KeyRange& whole, Findings& findings) {
  std::vector<CutRange> suspects;
  Status done = scan(ends_, whole, [&](CutRange& range) -> Status {
    if (stop_) return kInterrupted;
    findings.rows += range.cut.rows;
    ++findings.ranges;
    if (progress_) progress_(range.cut.rows);
    if (!(range.cut == range.follow)) suspects.push_back(std::move(range));
    return Unit{};
  });
  if (done.ok()) done = recheck(suspects);
  for (const CutRange& suspect : suspects) {
    if (done.ok()) done = drill(suspect, findings);
  }
  return done;
}

// A range holds few rows of the side that cut it, and may hold any number of the other's.
Status TableCompare::drill(const CutRange& suspect, Findings& findings) {
  if (suspect.follow.rows <= limits_.drill_rows) return drill_small(suspect.range, {}, findings);
  std::vector<KeyRange> parts;  // looked at once the readers are free again
  Status done = scan({ends_.target, ends_.source}, suspect.range, [&](CutRange& part) -> Status {
    if (stop_) return kInterrupted;
    if (!(part.cut == part.follow)) parts.push_back(std::move(part.range));
    return Unit{};
  });
  for (const KeyRange& part : parts) {
    if (done.ok()) done = drill_small(part, {}, findings);
  }
  return done;
}

Status TableCompare::read_ids(const KeyRange& range, const Wanted& wanted,
                              std::vector<LeftOver>& left) {
  RowIds source;
  RowIds target;
  const auto read = [&](RowReader& reader, RowIds& out) {
    Identifier identifier(plan_);
    return reader.read(
        {range, 0}, [&] { out.clear(); },
        [&](Row row) {
          const RowId id = identifier.id(row);
          if (!wanted || wanted(id.key)) out.add(id);
        });
  };
  Status done =
      both([&] { return read(ends_.source, source); }, [&] { return read(ends_.target, target); });
  if (done.ok()) left = match(source, target);
  return done;
}

// A row that is on its way is left over at one look and not, or otherwise, at the next. One that is
// always left over in the same way is a difference, if it still is once the target has caught up;
// of one that always is in another nothing can be said.
Status TableCompare::look_again(const KeyRange& range, std::vector<LeftOver>& left,
                                Findings& findings) {
  const unsigned looks = std::min(limits_.recheck, kLooksMax);
  const unsigned needed = std::min(looks, kLooksAlike);
  const auto look = [&](Status ready) {
    std::vector<LeftOver> now;
    if (ready.ok())
      ready = read_ids(
          range, [&](const Hash128& key) { return contains(left, key); }, now);
    if (ready.ok()) left = still_left(left, std::move(now));
    return ready;
  };
  const auto set_moving_apart = [&] {
    findings.moving += std::erase_if(left, [&](const LeftOver& row) { return row.looks < needed; });
  };
  for (unsigned done = 0; done < looks && !left.empty(); ++done) {
    if (Status looked = look(pause()); !looked.ok()) return looked;
  }
  set_moving_apart();
  if (left.empty() || !limits_.catch_up) return Unit{};
  Status looked = look(limits_.catch_up());
  set_moving_apart();
  return looked;
}

Status TableCompare::drill_small(const KeyRange& range, const Wanted& wanted, Findings& findings) {
  std::vector<LeftOver> left;
  Status done = read_ids(range, wanted, left);
  if (done.ok()) done = look_again(range, left, findings);
  if (!done.ok() || left.empty()) return done;
  if (findings.listed.size() < limits_.listed_max) return list(range, left, findings);
  findings.differences += differences(left);
  return Unit{};
}

// Reads the range once more: rows that are equal by now were only on their way.
Status TableCompare::list(const KeyRange& range, const std::vector<LeftOver>& left,
                          Findings& findings) {
  struct Half {
    KeptRows kept;
    RowIds ids;
  };
  const std::size_t room = limits_.listed_max - findings.listed.size();
  Half source{KeptRows(plan_, left, room), {}};
  Half target{KeptRows(plan_, left, room), {}};
  const auto read = [&](RowReader& reader, Half& half) {
    Identifier identifier(plan_);
    const auto restart = [&] {
      half.kept.clear();
      half.ids.clear();
    };
    return reader.read({range, 0}, restart, [&](Row row) {
      const RowId id = identifier.id(row);
      if (!contains(left, id.key)) return;
      half.ids.add(id);
      half.kept.see(id, row);
    });
  };
  Status done =
      both([&] { return read(ends_.source, source); }, [&] { return read(ends_.target, target); });
  if (!done.ok()) return done;
  findings.differences += differences(match(source.ids, target.ids));
  std::vector<RowDifference> rows = describe(plan_, source.kept, target.kept);
  const std::size_t taken = std::min(room, rows.size());
  std::move(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(taken),
            std::back_inserter(findings.listed));
  return Unit{};
}

Status TableCompare::digest_parts(std::vector<SetDigest>& source, std::vector<SetDigest>& target) {
  const auto read = [&](RowReader& reader, std::vector<SetDigest>& parts) {
    Identifier identifier(plan_);
    return reader.read(
        {}, [&] { parts.assign(kParts, {}); },
        [&](Row row) {
          const RowId id = identifier.id(row);
          parts[part_of(id.key)].add(id.row);
        });
  };
  return both([&] { return read(ends_.source, source); },
              [&] { return read(ends_.target, target); });
}

Status TableCompare::as_bag(Findings& findings) {
  std::vector<std::size_t> suspects;
  std::vector<std::uint64_t> rows(kParts);
  for (unsigned round = 0; round <= limits_.recheck; ++round) {
    std::vector<SetDigest> source;
    std::vector<SetDigest> target;
    Status done = round == 0 ? Unit{} : pause();
    if (done.ok()) done = digest_parts(source, target);
    if (!done.ok()) return done;
    std::vector<std::size_t> differing;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      all += source[i].rows;
      rows[i] = std::max(source[i].rows, target[i].rows);
      const bool before = round == 0 || std::binary_search(suspects.begin(), suspects.end(), i);
      if (before && !(source[i] == target[i])) differing.push_back(i);
    }
    suspects = std::move(differing);
    if (round == 0) {
      findings.rows += all;
      ++findings.ranges;
      if (progress_) progress_(all);
    }
    if (suspects.empty()) return Unit{};
  }
  return drill_parts(suspects, rows, findings);
}

Status TableCompare::drill_parts(const std::vector<std::size_t>& parts,
                                 const std::vector<std::uint64_t>& rows, Findings& findings) {
  auto next = parts.begin();
  for (int scan = 0; scan < kPartScansMax && next != parts.end(); ++scan) {
    std::vector<bool> chosen(kParts);
    std::uint64_t held = 0;
    while (next != parts.end() && (held == 0 || held + rows[*next] <= limits_.drill_rows)) {
      held += rows[*next];
      chosen[*next++] = true;
    }
    Status done = drill_small(
        {}, [&](const Hash128& key) { return chosen[part_of(key)]; }, findings);
    if (!done.ok()) return done;
  }
  // Each of these parts holds a difference at least.
  findings.differences += static_cast<std::uint64_t>(parts.end() - next);
  findings.at_least = next != parts.end();
  return Unit{};
}

}  // namespace wherry::verify
