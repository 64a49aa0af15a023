#include "dispatch/board.h"

#include <fmt/core.h>

#include <algorithm>

namespace wherry::dispatch {

Board::Board(unsigned lanes, Dialect dialect, const LowWater& start, std::uint64_t fence)
    : lanes_(lanes), dialect_(dialect) {
  state_.with([&](State& state) {
    state.fence = {fence, fence == kNoFence ? kNoFence : 0};
    state.low_cseq = state.scheduled = start.cseq;
    state.low_commit_us = start.commit_us;
    state.low_file = start.position.file;
    state.low_gtid = start.gtid;
    if (dialect == Dialect::mysql) {
      if (auto set = MysqlGtidSet::parse(start.position.gtid); set.ok())
        state.mysql_set = set.value();
    } else if (auto position = MariadbGtidPosition::parse(start.position.gtid); position.ok()) {
      state.mariadb_position = position.value();
    }
  });
}

namespace {

std::uint32_t intern(std::vector<std::string>& pool, const std::string& text) {
  for (std::size_t i = pool.size(); i-- > 0;) {
    if (pool[i] == text) return static_cast<std::uint32_t>(i);
  }
  pool.push_back(text);
  return static_cast<std::uint32_t>(pool.size() - 1);
}

}  // namespace

void Board::scheduled(const decode::Batch& batch, const decode::Group& group, bool done) {
  state_.with([&](State& state) {
    Entry entry;
    entry.cseq = group.cseq;
    entry.commit_us = group.commit_us;
    entry.offset = group.end_offset;
    entry.gtid = group.gtid;
    entry.file = intern(state.files, batch.file);
    if (dialect_ == Dialect::mysql && group.gtid.number != 0)
      entry.source = intern(state.sources, batch.gtid_sources[group.gtid.source]);
    entry.done = done;
    state.scheduled = group.cseq;
    state.window.push_back(entry);
    if (done) advance(state);
  });
}

void Board::seen(const FilePosition& at) {
  state_.with([&](State& state) {
    if (state.window.empty()) state.low_file = at;
  });
}

void Board::committed(unsigned lane, std::uint64_t seq, const std::vector<std::uint64_t>& cseqs,
                      std::optional<std::uint64_t> chunk) {
  state_.with([&](State& state) {
    if (chunk) {
      const auto found = state.chunks.find(*chunk);
      if (found != state.chunks.end()) state.chunks.erase(found);
    }
    if (seq > state.lanes[lane]) state.lanes[lane] = seq;
    for (const std::uint64_t cseq : cseqs) {
      if (cseq > state.low_cseq) state.window[cseq - state.low_cseq - 1].done = true;
    }
    advance(state);
  });
}

void Board::advance(State& state) {
  const std::uint64_t limit =
      state.chunks.empty() ? state.fence.cseq : std::min(state.fence.cseq, *state.chunks.begin());
  while (!state.window.empty() && state.window.front().done && state.window.front().cseq <= limit) {
    const Entry& entry = state.window.front();
    state.low_cseq = entry.cseq;
    state.low_commit_us = entry.commit_us;
    state.low_file = {state.files[entry.file], entry.offset};
    if (entry.gtid.number == 0) {
      state.low_gtid.clear();
    } else if (dialect_ == Dialect::mysql) {
      state.mysql_set.add(state.sources[entry.source], entry.gtid.number);
      state.low_gtid = fmt::format("{}:{}", state.sources[entry.source], entry.gtid.number);
    } else {
      state.mariadb_position.set(entry.gtid.domain, {entry.gtid.server, entry.gtid.number});
      state.low_gtid =
          fmt::format("{}-{}-{}", entry.gtid.domain, entry.gtid.server, entry.gtid.number);
    }
    state.window.pop_front();
  }
}

void Board::chunk_placed(std::uint64_t cseq) {
  state_.with([&](State& state) { state.chunks.insert(cseq); });
}

// Either number may come late: each moves forward alone.
void Board::raise_fence(const Fence& fence) {
  state_.with([&](State& state) {
    state.fence.pieces = std::max(state.fence.pieces, fence.pieces);
    if (fence.cseq <= state.fence.cseq) return;
    state.fence.cseq = fence.cseq;
    advance(state);
  });
}

std::uint64_t Board::fence() const {
  return state_.read([](const State& state) { return state.fence.cseq; });
}

bool Board::wait_for_fence(const Fence& wanted) {
  const auto reached = [&](const Fence& fence) {
    return fence.cseq >= wanted.cseq && fence.pieces >= wanted.pieces;
  };
  return state_.wait([&](const State& state) { return state.closed || reached(state.fence); },
                     [](State& state) { return !state.closed; });
}

LowWater Board::low() const {
  return state_.read([&](const State& state) {
    LowWater low;
    low.cseq = state.low_cseq;
    low.commit_us = state.low_commit_us;
    low.position.file = state.low_file;
    low.position.gtid = dialect_ == Dialect::mysql ? state.mysql_set.to_string()
                                                   : state.mariadb_position.to_string();
    low.gtid = state.low_gtid;
    return low;
  });
}

LaneSeqs Board::committed_seqs() const {
  return state_.read([](const State& state) { return state.lanes; });
}

std::uint64_t Board::scheduled_cseq() const {
  return state_.read([](const State& state) { return state.scheduled; });
}

Board::InFlight Board::in_flight() const {
  return state_.read([](const State& state) {
    return state.window.empty() ? InFlight{}
                                : InFlight{state.window.size(), state.window.front().commit_us};
  });
}

bool Board::wait_idle(const LaneSeqs& given) {
  const auto idle = [&](const State& state) {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if (state.lanes[lane] < given[lane]) return false;
    }
    return true;
  };
  return state_.wait([&](const State& state) { return state.closed || idle(state); },
                     [](State& state) { return !state.closed; });
}

bool Board::wait_window(std::size_t groups_max) {
  return state_.wait(
      [&](const State& state) { return state.closed || state.window.size() < groups_max; },
      [](State& state) { return !state.closed; });
}

void Board::close() {
  state_.with([](State& state) { state.closed = true; });
}

bool Board::closed() const {
  return state_.read([](const State& state) { return state.closed; });
}

}  // namespace wherry::dispatch
