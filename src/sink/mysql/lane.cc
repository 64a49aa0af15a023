#include "sink/mysql/lane.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <thread>

#include "sink/mysql/merge.h"
#include "sink/mysql/ordered_writer.h"
#include "sink/mysql/retry.h"
#include "support/log.h"

namespace wherry::sink {

using dispatch::Work;
using namespace std::chrono_literals;

struct Lane::Group {
  std::vector<Work> items;
  std::vector<std::uint64_t> cseqs;
  std::uint64_t last = 0;     // the newest of cseqs whose transaction is in items
  std::string last_identity;  // which that is
  std::uint64_t bytes = 0;
  bool ordered = false;

  void add(Work work) {
    if (work.chunk == nullptr && work.transaction().cseq != 0) {
      note(work);
      if (work.also_cseq != 0) cseqs.push_back(work.also_cseq);
    }
    bytes += work.bytes;
    ordered |= work.one_by_one;
    items.push_back(std::move(work));
  }
  void note(const Work& work) {
    const std::uint64_t cseq = work.transaction().cseq;
    cseqs.push_back(cseq);
    if (cseq < last) return;
    last = cseq;
    last_identity = dispatch::identity_of(*work.batch->batch, work.transaction());
  }
  const dispatch::Chunk* chunk() const {
    return items.empty() ? nullptr : items.front().chunk.get();
  }
};

Lane::Lane(const LaneOptions& options, const Links& links, const LaneRecord& start)
    : options_(options), links_(links), record_(start) {}
Lane::~Lane() = default;

LaneState Lane::state() const {
  return state_.read([](const LaneState& state) { return state; });
}

void Lane::say_waiting(std::string what) {
  state_.with([&](LaneState& state) { state.waiting_for = std::move(what); });
}

Status Lane::run() {
  while (!links_.board.closed()) {
    Group group;
    if (!collect(group)) {
      Status kept = record_.lane == 0 ? keep_position() : Status(Unit{});
      if (!kept.ok() && !links_.board.closed()) return kept.error().within("record the position");
      continue;
    }
    const Work& first = group.items.front();
    const bool part = first.chunk == nullptr && !first.transaction().closes;
    Status done = part ? run_large(std::move(group.items.front())) : commit_with_retries(group);
    if (!done.ok()) {
      if (links_.board.closed()) return Unit{};
      return done.error().within(fmt::format("lane {}", record_.lane));
    }
  }
  return Unit{};
}

// Takes the next piece and, where it may be merged, those behind it that need not wait.
bool Lane::collect(Group& group) {
  std::optional<Work> first = links_.queue.pop(200ms);
  if (!first) return false;
  dispatch::LaneSeqs needs{};
  for (const auto& [lane, seq] : first->needs) needs[lane] = seq;
  if (!links_.board.wait_idle(needs) || !pass_fence(*first)) return false;
  const bool alone = first->chunk != nullptr || first->one_by_one || !first->transaction().closes;
  group.add(std::move(*first));
  if (alone) return true;
  const dispatch::LaneSeqs committed = links_.board.committed_seqs();
  const std::uint64_t fence = links_.board.fence();
  const auto joins = [&](const Work& next) {
    if (next.chunk != nullptr || next.one_by_one || !next.transaction().closes) return false;
    if (group.bytes + next.bytes > options_.group_bytes ||
        group.items.size() >= options_.group_transactions || next.placed_cseq() > fence)
      return false;
    return std::all_of(next.needs.begin(), next.needs.end(),
                       [&](const auto& need) { return committed[need.first] >= need.second; });
  };
  while (std::optional<Work> next = links_.queue.pop_if(joins)) group.add(std::move(*next));
  return true;
}

// Nothing of a group runs before all of it may be seen: its locks would be held meanwhile.
bool Lane::pass_fence(const Work& next) {
  dispatch::Board::Fence wanted;
  if (next.chunk == nullptr) wanted.cseq = next.placed_cseq();
  if (next.chunk != nullptr) wanted.pieces = next.chunk->piece;
  if (wanted.pieces == 0 && links_.board.fence() >= wanted.cseq) return true;
  say_waiting("the redo of what comes next to be durable");
  const bool passed = links_.board.wait_for_fence(wanted);
  say_waiting("");
  return passed;
}

Status Lane::connect() {
  if (session_ != nullptr) return Unit{};
  Result<std::unique_ptr<mysql::Session>> session = open_apply_session(options_.target);
  if (!session.ok()) return session.error();
  if (Status owned = links_.progress.own_lane(*session.value(), record_.lane); !owned.ok())
    return owned;
  session_ = std::move(session).value();
  record_.connection = session_->connection_id();
  local_infile_ = allows_local_infile(*session_);
  return Unit{};
}

LaneRecord Lane::next_record(const Group& group) const {
  LaneRecord next = record_;
  next.low = links_.board.low();
  next.drop_done(next.low.cseq);
  for (const std::uint64_t cseq : group.cseqs) {
    if (cseq > next.low.cseq) next.add_done(cseq, cseq == group.last ? group.last_identity : "");
  }
  return next;
}

Status Lane::commit_with_retries(Group& group) {
  RetryClock clock(options_.give_up_after);
  for (;;) {
    Status done = attempt(group);
    if (done.ok()) break;
    const Error& error = done.error();
    if (links_.board.closed()) return done;
    bool committed = false;
    if (error.code == Errc::network || error.code == Errc::timeout) {
      session_.reset();
      if (commit_sent_) {
        if (Status settled = settle(committed); !settled.ok()) done = settled;
      }
      if (committed) break;
    } else if (session_ != nullptr) {
      const auto undone = session_->execute_all("ROLLBACK;SET foreign_key_checks=0");
      if (!undone.ok()) session_.reset();
    }
    if (error.code == Errc::conflict && !group.ordered &&
        error.what.find("fenced") == std::string::npos) {
      // In bulk it did not do what it must: row by row either works or names the row.
      log::warning("apply", "{}; going row by row", error.what);
      group.ordered = true;
      continue;
    }
    const Retry retry = clock.next(done.error());
    if (!retry.again) return done;
    const std::string waits = describe_wait(options_.target, retry, done.error());
    say_waiting(waits);
    state_.with([](LaneState& state) { ++state.retries; });
    if (retry.tell) log::warning("apply", "lane {} tries again; waits for {}", record_.lane, waits);
    if (!retry_pause(retry.pause, [&] { return links_.board.closed(); })) return done;
  }
  finished(group);
  forget_large_buffers();
  return Unit{};
}

// One huge row must not keep its memory for good.
void Lane::forget_large_buffers() {
  const std::size_t keep = 2 * options_.group_bytes;
  if (lines_.capacity() > keep) std::string().swap(lines_);
  std::size_t cells = 0;
  for (const auto& store : cells_) cells += store.capacity() * sizeof(decode::Cell);
  if (cells > keep) cells_.clear();
}

// After a lost connection: whether the transaction committed all the same.
Status Lane::settle(bool& committed) {
  if (Status connected = connect(); !connected.ok()) return connected;
  Result<std::uint64_t> seq = links_.progress.locked_seq(*session_, options_.epoch, record_.lane);
  if (!seq.ok()) {
    session_.reset();
    return seq.error();
  }
  committed = seq.value() == record_.seq + 1;
  commit_sent_ = false;
  return Unit{};
}

Status Lane::attempt(Group& group) {
  if (commit_sent_) {
    bool committed = false;
    if (Status settled = settle(committed); !settled.ok()) return settled;
    if (committed) return Unit{};
  }
  if (Status connected = connect(); !connected.ok()) return connected;
  if (Status begun = begin(group); !begun.ok()) return begun;
  if (Status written = write(group); !written.ok()) return written;
  return commit();
}

Status Lane::begin(const Group& group) {
  const LaneRecord next = next_record(group);
  begun_low_ = next.low.cseq;
  Result<std::vector<mysql::Outcome>> begun =
      session_->execute_all("BEGIN;" + links_.progress.lane_statement(options_.epoch, next));
  if (!begun.ok()) return begun.error();
  if (begun.value().back().affected != 1) {
    return Error{Errc::conflict,
                 "fenced: another run has taken over the target (its progress row moved)", 0};
  }
  return Unit{};
}

Status Lane::commit() {
  commit_sent_ = true;
  Result<mysql::Outcome> done = session_->execute("COMMIT");
  if (!done.ok()) {
    if (done.error().code != Errc::network && done.error().code != Errc::timeout)
      commit_sent_ = false;
    return done.error().within("commit");
  }
  commit_sent_ = false;
  return Unit{};
}

void Lane::finished(const Group& group) {
  record_ = next_record(group);
  ++record_.seq;
  commit_sent_ = false;
  state_.with([&](LaneState& state) {
    state.waiting_for.clear();
    state.recorded = begun_low_;
    ++state.commits;
    state.transactions += group.cseqs.size();
  });
  std::optional<std::uint64_t> placed;
  if (const dispatch::Chunk* chunk = group.chunk()) {
    links_.chunk_done(*chunk);
    if (chunk->piece != 0) placed = chunk->placed_at;
  }
  if (group.items.empty()) return;
  links_.board.committed(record_.lane, group.items.back().seq, group.cseqs, placed);
}

Status Lane::write(Group& group) {
  if (const dispatch::Chunk* chunk = group.chunk()) return write_chunk(*chunk, group.ordered);
  if (!group.ordered) {
    Status merged = write_merged(group.items);
    if (merged.ok() || merged.error().code != Errc::unsupported) return merged;
    group.ordered = true;  // images that do not carry whole rows
  }
  return write_ordered(group.items);
}

Status Lane::write_merged(const std::vector<Work>& items) {
  BulkWriter writer(*session_, {local_infile_, options_.packet_bytes}, lines_);
  Merge merge(cells_);
  for (const Work& work : items) {
    if (Status added = merge.add(work, writer); !added.ok()) return added;
  }
  return merge.write(writer);
}

Status Lane::write_ordered(const std::vector<Work>& items) {
  OrderedWriter writer(*session_, options_.packet_bytes, local_infile_);
  for (const Work& work : items) {
    if (Status done = replay(work, writer); !done.ok()) return done;
  }
  return writer.finish();
}

Status Lane::write_chunk(const dispatch::Chunk& chunk, bool row_by_row) {
  // Row by row the server itself names the row that it refuses.
  BulkWriter writer(*session_,
                    {local_infile_ && !row_by_row, row_by_row ? 1 : options_.packet_bytes}, lines_);
  const bool replace =
      chunk.plan->state->touched.load(std::memory_order_acquire) && !chunk.plan->whole();
  if (Status done = writer.write(chunk, replace); !done.ok()) return done;
  Result<mysql::Outcome> noted =
      session_->execute(links_.progress.put_statement(links_.slice_record(chunk)));
  if (!noted.ok()) return noted.error();
  return Unit{};
}

// A transaction in parts streams into one open target transaction. It can't be tried again here,
// since its parts are gone; a resume begins it anew.
Status Lane::run_large(Work first) {
  if (Status connected = connect(); !connected.ok()) return connected;
  Group all;
  all.note(first);
  if (Status begun = begin(all); !begun.ok()) return begun;
  std::optional<Work> part(std::move(first));
  for (;;) {
    if (links_.board.closed()) return Unit{};
    if (!part) {
      part = links_.queue.pop(200ms);
      continue;
    }
    all.items.clear();
    all.items.push_back(std::move(*part));
    part.reset();
    const Work& now = all.items.front();
    if (now.transaction().aborted) {
      Result<mysql::Outcome> undone = session_->execute("ROLLBACK");
      if (!undone.ok()) session_.reset();
      links_.board.committed(record_.lane, now.seq, {});
      return Unit{};
    }
    const std::uint64_t seq = now.seq;
    const bool last = now.transaction().closes;
    if (Status written = write(all); !written.ok())
      return written.error().within("a transaction too large to be held");
    if (!last) {
      // The next part may need the budget that this one holds.
      all.items.clear();
      links_.board.committed(record_.lane, seq, {});
      continue;
    }
    if (Status done = commit(); !done.ok()) return done;
    finished(all);
    return Unit{};
  }
}

// An idle or filtered stream moves on as well: the resume point must not stay behind and be purged.
Status Lane::keep_position() {
  const dispatch::LowWater low = links_.board.low();
  if (low.position == record_.low.position || std::chrono::steady_clock::now() < next_keep_)
    return Unit{};
  next_keep_ = std::chrono::steady_clock::now() + 1s;
  Group nothing;
  return commit_with_retries(nothing);
}

}  // namespace wherry::sink
