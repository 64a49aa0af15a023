#include "dispatch/scheduler.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/log.h"

namespace wherry::dispatch {

using namespace std::chrono_literals;

Scheduler::Scheduler(const SchedulerOptions& options, const SchedulerLinks& links)
    : options_(options),
      links_(links),
      ring_(options.ring_bytes),
      scan_(links.catalog, ring_),
      router_(links.lanes, links.board),
      placement_(ring_, router_, links.placement, options.fault_keep_changed) {}

Status Scheduler::run(const FilePosition& from) {
  seen_ = from;
  cseq_ = links_.board.scheduled_cseq();
  generation_ = options_.generation;
  for (;;) {
    Inbox::Taken taken = links_.inbox.take(200ms, true);
    take_in(taken);
    if (taken.closed || links_.board.closed()) return Unit{};
    if (taken.batch != nullptr) {
      // A chunk out of redo that stands before the batch came before it.
      if (Status placed = inside_parts_ ? Status(Unit{}) : place(); !placed.ok()) return placed;
      if (Status done = on_batch(taken.batch); !done.ok()) return done;
    }
    if (inside_parts_) continue;  // a chunk must not end up inside an open target transaction
    if (taken.batch == nullptr) {
      if (Status cut = cut_if_due(0); !cut.ok()) return cut;
    }
    if (Status placed = place(); !placed.ok()) return placed;
  }
}

void Scheduler::take_in(Inbox::Taken& taken) {
  for (const auto& turn : taken.turns)
    turn->given.with(
        [&](std::optional<LaneSeqs>& given) { given = router_.touched(turn->tables); });
  placement_.take(taken);
}

Status Scheduler::place() {
  if (Status placed = placement_.run(seen_, cseq_, generation_); !placed.ok()) return placed;
  return links_.snapshot != nullptr ? links_.snapshot->stands(cseq_) : Status(Unit{});
}

// Redo may take the transaction: nothing is placed before it any more. Said before anything waits
// for the fence there.
void Scheduler::let_through(std::uint64_t cseq) {
  if (links_.snapshot != nullptr) links_.snapshot->raise(cseq);
}

Status Scheduler::on_batch(const decode::BatchPtr& batch) {
  if (batch->generation != generation_) {
    ring_.clear();
    generation_ = batch->generation;
  }
  auto work = std::make_shared<WorkBatch>();
  work->batch = batch;
  work->tables.resize(batch->events.size());
  for (std::uint32_t i = 0; i < batch->groups.size(); ++i) {
    const decode::Group& group = batch->groups[i];
    if (Status same = require_known(*batch, group); !same.ok()) return same;
    if (Status done = on_group(work, i); !done.ok()) {
      return done.error().within(
          fmt::format("transaction that ends at {}:{}", batch->file, group.end_offset));
    }
    if (!group.closes || group.aborted) continue;
    seen_ = {batch->file, group.end_offset};
    cseq_ = group.cseq;
    let_through(cseq_);
  }
  seen_ = {batch->file, batch->seen_offset};
  links_.board.seen(seen_);
  counters_.seen.with([&](FilePosition& seen) { seen = seen_; });
  return Unit{};
}

// A cut needs that all through one transaction has committed, and nothing behind it. With an XA
// transaction between its PREPARE and its end there is no such place.
Status Scheduler::cut_if_due(std::uint64_t commit_us) {
  if (links_.syncpoints == nullptr || !prepared_.empty() || !links_.syncpoints->due(commit_us))
    return Unit{};
  if (!router_.drain()) return Unit{};
  return links_.syncpoints->record(links_.board.low());
}

Status Scheduler::read_moved_again(Touched& touched) {
  std::map<std::uint32_t, std::pair<PlanPtr, std::vector<RowKey>>> by_table;
  for (auto& [plan, key] : touched.moved) {
    auto& of = by_table[plan->id];
    of.first = plan;
    of.second.push_back(std::move(key));
  }
  for (auto& [table, of] : by_table) {
    Status noted = links_.placement.reread(*of.first, std::move(of.second));
    if (!noted.ok()) return noted;
  }
  return Unit{};
}

bool Scheduler::is_done(std::uint64_t cseq) const {
  return std::any_of(options_.done.begin(), options_.done.end(), [&](const auto& range) {
    return cseq >= range.first && cseq <= range.second;
  });
}

// A number is only a count from where the stream began: were the log another one now, groups would
// be passed over that never came to the target.
Status Scheduler::require_known(const decode::Batch& batch, const decode::Group& group) const {
  const auto known = options_.known.find(group.cseq);
  if (known == options_.known.end()) return Unit{};
  const std::string found = identity_of(batch, group);
  if (found == known->second) return Unit{};
  return Error{
      Errc::conflict,
      fmt::format("the source's history is another one than what was applied: the group "
                  "that ends at {}:{} must be {}, and is {}; it was set back or is another "
                  "server. Copy anew, or give the server whose log holds that",
                  batch.file, group.end_offset, known->second, found),
      0};
}

void Scheduler::finish(const decode::Batch& batch, const decode::Group& group) {
  links_.board.scheduled(batch, group, true);
}

Status Scheduler::on_group(const SharedWork& work, std::uint32_t index) {
  const decode::Group& group = work->batch->groups[index];
  if (!links_.board.wait_window(options_.window_groups)) return Unit{};
  if (group.opens) {
    if (Status cut = cut_if_due(group.commit_us); !cut.ok()) return cut;
  }
  if (!group.opens || !group.closes) return on_part(work, index);
  ++counters_.transactions;
  if (is_done(group.cseq)) {
    finish(*work->batch, group);
    return Unit{};
  }
  bool one_by_one = false;
  if (group.has_statement) {
    Result<bool> handled = on_statements(work, index, one_by_one);
    if (!handled.ok()) return handled.error();
    if (handled.value()) return Unit{};
  }
  if (group.end == decode::GroupEnd::xa_prepare) return prepare_xa(work, index);
  return on_rows(work, index, one_by_one);
}

Work Scheduler::make_work(const SharedWork& work, std::uint32_t index, bool one_by_one) const {
  const decode::Batch& batch = *work->batch;
  const decode::Group& group = batch.groups[index];
  Work piece;
  piece.batch = work;
  piece.group = index;
  piece.one_by_one = one_by_one;
  if (group.event_count > 0) {
    const decode::EventRef& last = batch.events[group.first_event + group.event_count - 1];
    piece.bytes = last.offset + last.size - batch.events[group.first_event].offset;
  }
  return piece;
}

Status Scheduler::on_rows(const SharedWork& work, std::uint32_t index, bool one_by_one) {
  const decode::Group& group = work->batch->groups[index];
  if (Status resolved = scan_.resolve(*work, group); !resolved.ok()) return resolved;
  Result<Touched> touched = scan_.scan(*work, group);
  if (!touched.ok()) return touched.error();
  counters_.filtered += touched.value().filtered;
  // What a rolled back group still logged is what engines without transactions kept: it counts.
  if (!touched.value().followed) {
    finish(*work->batch, group);
    return Unit{};
  }
  counters_.changes += touched.value().rows;
  if (Status waited = wait_while_held(touched.value()); !waited.ok()) return waited;
  if (Status noted = read_moved_again(touched.value()); !noted.ok()) return noted;
  touched.value().one_by_one |= one_by_one;
  const bool single = touched.value().one_by_one;
  links_.board.scheduled(*work->batch, group, false);
  router_.send(make_work(work, index, single), touched.value(), single ? 0 : LaneRouter::kAnyLane);
  return Unit{};
}

// Changes of a held table wait until its rows are placed; nothing later overtakes them.
Status Scheduler::wait_while_held(const Touched& touched) {
  const auto held = [&] {
    return std::any_of(touched.tables.begin(), touched.tables.end(),
                       [&](std::uint32_t table) { return placement_.holds(table); });
  };
  return wait_while(held);
}

Status Scheduler::wait_while(const std::function<bool()>& held) {
  while (held()) {
    Inbox::Taken taken = links_.inbox.take(200ms, false);
    take_in(taken);
    if (taken.closed || links_.board.closed()) return Error{Errc::interrupted, "the run ends", 0};
    if (Status placed = place(); !placed.ok()) return placed;
  }
  return Unit{};
}

// A transaction too large to be held: everything before it commits first, then its parts stream
// into one open target transaction in the first lane.
Status Scheduler::on_part(const SharedWork& work, std::uint32_t index) {
  const decode::Group& group = work->batch->groups[index];
  const bool done = is_done(group.cseq);
  inside_parts_ = !group.closes && !group.aborted;
  if (group.opens) {
    // Nothing is placed inside of it, so nobody may wait there for the rows of a table.
    Status waited = links_.snapshot != nullptr
                        ? wait_while([this] { return placement_.holds_any(); })
                        : Status(Unit{});
    if (!waited.ok()) return waited;
    let_through(group.cseq);
    if (!router_.drain()) return Unit{};
  }
  if (!group.aborted && !done) {
    if (Status resolved = scan_.resolve(*work, group); !resolved.ok()) return resolved;
    Result<Touched> touched = scan_.scan(*work, group);
    if (!touched.ok()) return touched.error();
    counters_.changes += touched.value().rows;
    counters_.filtered += touched.value().filtered;
    if (Status waited = wait_while_held(touched.value()); !waited.ok()) return waited;
    if (Status noted = read_moved_again(touched.value()); !noted.ok()) return noted;
  }
  if (group.closes && !group.aborted) links_.board.scheduled(*work->batch, group, done);
  if (done) return Unit{};
  router_.send(make_work(work, index, true), Touched{}, 0);
  if ((group.closes || group.aborted) && !router_.drain()) return Unit{};
  return Unit{};
}

void Scheduler::count_ignored(const std::string& what) {
  counters_.ignored.with([&](std::map<std::string, std::uint64_t>& ignored) { ++ignored[what]; });
}

}  // namespace wherry::dispatch
