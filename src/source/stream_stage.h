// The stage that follows the source's binlog: dump, assemble, hand batches on. Reconnects with
// back-off on the same server, and moves to the next generation at a group edge. Runs on one
// thread; stop() and state() from any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "decode/assembler.h"
#include "source/binlog_dump.h"
#include "source/runtime.h"
#include "support/byte_budget.h"
#include "support/guarded.h"

namespace wherry::source {

struct StreamOptions {
  DumpOptions dump;
  decode::AssemblerOptions assembler;
  std::chrono::seconds give_up_after{300};  // of failing reconnects in a row
};

struct StreamState {
  bool connected = false;
  std::string problem;  // why it is not connected
  // When all that the source had sent, heartbeats included, was handed on last.
  std::chrono::system_clock::time_point current_at{};
  Position edge;  // received through
  std::uint64_t bytes = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t generation = 0;
};

class StreamStage {
 public:
  // push: takes a batch, waits for room; false ends the stage. runtime and budget outlive the
  // stage.
  StreamStage(Runtime& runtime, const StreamOptions& options, ByteBudget& budget,
              std::function<bool(decode::BatchPtr)> push);

  // Follows the stream from a group edge until stop(), an error that reconnecting cannot heal, or a
  // closed push. first_cseq: the number of the first group after from.
  Status run(const Position& from, std::uint64_t first_cseq);
  void stop() { stopping_ = true; }
  StreamState state() const;

 private:
  Status follow(const Lease& lease, BinlogDump& dump, decode::Assembler& assembler);
  bool hand_on(decode::Assembler& assembler);
  bool charge_ahead(std::size_t bytes);
  void give_back_ahead();
  bool wait_before_retry(unsigned attempt);

  Runtime& runtime_;
  const StreamOptions options_;
  ByteBudget& budget_;
  const std::function<bool(decode::BatchPtr)> push_;
  ByteBudget::Charge ahead_;  // for large events of the batch under construction; run()'s thread
  std::atomic<bool> stopping_{false};
  Guarded<StreamState> state_;
};

}  // namespace wherry::source
