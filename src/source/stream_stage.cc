#include "source/stream_stage.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "support/log.h"

namespace wherry::source {
namespace {

constexpr std::size_t kLargeEvent = 1 << 20;

// What reconnecting can heal. A server that shuts down or kills the dump says so by an error
// packet.
bool may_heal(const Error& error) {
  constexpr unsigned kServerShutdown = 1053;
  constexpr unsigned kQueryInterrupted = 1317;
  return error.code == Errc::network || error.code == Errc::timeout ||
         error.server_code == kServerShutdown || error.server_code == kQueryInterrupted;
}

}  // namespace

StreamStage::StreamStage(Runtime& runtime, const StreamOptions& options, ByteBudget& budget,
                         std::function<bool(decode::BatchPtr)> push)
    : runtime_(runtime), options_(options), budget_(budget), push_(std::move(push)) {}

StreamState StreamStage::state() const {
  return state_.read([](const StreamState& state) { return state; });
}

Status StreamStage::run(const Position& from, std::uint64_t first_cseq) {
  decode::AssemblerOptions assembling = options_.assembler;
  assembling.generation = runtime_.generation_number();
  decode::Assembler assembler(assembling, from, first_cseq);
  state_.with([](StreamState& state) { state.current_at = std::chrono::system_clock::now(); });
  unsigned failures = 0;
  auto failing_since = std::chrono::steady_clock::now();
  while (!stopping_) {
    const Lease lease = runtime_.lease();
    Result<std::unique_ptr<BinlogDump>> dump =
        BinlogDump::open(lease, options_.dump, assembler.edge());
    Status ended = dump.ok() ? follow(lease, *dump.value(), assembler) : Status(dump.error());
    if (stopping_) break;
    assembler.restart(runtime_.generation_number());
    if (!hand_on(assembler)) return Unit{};
    give_back_ahead();  // what it was for will come again
    if (ended.ok()) {   // the next generation took over
      failures = 0;
      continue;
    }
    if (!may_heal(ended.error())) return ended.error().within("binlog stream");
    // A connection that brought the stream forward starts the count again.
    if (dump.ok()) failures = 0;
    if (failures++ == 0) failing_since = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - failing_since > options_.give_up_after) {
      return ended.error().within("binlog stream, after many attempts to reconnect");
    }
    state_.with([&](StreamState& state) {
      state.connected = false;
      state.problem = ended.error().what;
      ++state.reconnects;
    });
    log::warning("source", "the binlog stream broke ({}); reconnecting", ended.error().what);
    if (!wait_before_retry(failures)) break;
  }
  return Unit{};
}

Status StreamStage::follow(const Lease& lease, BinlogDump& dump, decode::Assembler& assembler) {
  state_.with([&](StreamState& state) {
    state.connected = true;
    state.problem.clear();
    state.generation = lease.generation().number();
  });
  std::uint64_t bytes = 0;
  while (!stopping_) {
    if (!assembler.inside_group() && runtime_.generation_number() != lease.generation().number())
      return Unit{};
    if (!dump.ready()) {
      if (!hand_on(assembler)) return Unit{};
      state_.with([&](StreamState& state) {
        state.edge = assembler.edge();
        state.current_at = std::chrono::system_clock::now();
        state.bytes += std::exchange(bytes, 0);
      });
    }
    Result<Bytes> event = dump.next();
    if (!event.ok()) return event.error();
    bytes += event.value().size();
    if (event.value().size() >= kLargeEvent && !charge_ahead(event.value().size())) return Unit{};
    Status fed = assembler.feed(event.value());
    if (!fed.ok()) return fed;
    if (assembler.full() && !hand_on(assembler)) return Unit{};
  }
  return Unit{};
}

bool StreamStage::hand_on(decode::Assembler& assembler) {
  std::unique_ptr<decode::Batch> batch = assembler.take();
  if (batch == nullptr) return true;
  if (ahead_) {
    batch->charge = std::move(ahead_);
    batch->charge.resize(batch->byte_size());
  } else {
    batch->charge = budget_.charge(batch->byte_size());
  }
  if (!batch->charge) {
    stopping_ = true;
    return false;
  }
  if (push_(std::move(batch))) return true;
  stopping_ = true;
  return false;
}

// A large event waits for room where it was received, before it is copied: else one would be held
// there, one here, and one by whoever writes it. What is charged already goes back meanwhile, since
// an event larger than the budget is admitted only alone.
bool StreamStage::charge_ahead(std::size_t bytes) {
  const std::size_t all = ahead_.bytes() + bytes;
  give_back_ahead();
  ahead_ = budget_.charge(all);
  if (!ahead_) stopping_ = true;
  return static_cast<bool>(ahead_);
}

void StreamStage::give_back_ahead() { const ByteBudget::Charge back = std::move(ahead_); }

bool StreamStage::wait_before_retry(unsigned attempt) {
  using namespace std::chrono_literals;
  const auto pause = std::min(10000ms, 100ms * (1U << std::min(attempt, 7U)));
  const auto until = std::chrono::steady_clock::now() + pause;
  while (!stopping_ && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(20ms);
  return !stopping_;
}

}  // namespace wherry::source
