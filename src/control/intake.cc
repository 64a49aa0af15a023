#include "control/intake.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace wherry::control {
namespace {

using namespace std::chrono_literals;

std::size_t part_bytes_of(std::uint64_t memory) {
  return std::clamp<std::size_t>(memory / 32, 1 << 20, 16 << 20);
}

class StreamIntake : public Intake {
 public:
  StreamIntake(source::Runtime& runtime, const source::StreamOptions& options, ByteBudget& budget,
               Push push)
      : stage_(runtime, options, budget, std::move(push)) {}

  Status run(const dispatch::LowWater& from) override {
    return stage_.run(from.position, from.cseq + 1);
  }
  void stop() override { stage_.stop(); }
  source::StreamState state() const override { return stage_.state(); }

 private:
  source::StreamStage stage_;
};

class LogIntake : public Intake {
 public:
  LogIntake(feed::SourceLog& log, std::size_t part_bytes, ByteBudget& budget, Push push)
      : log_(log), part_bytes_(part_bytes), budget_(budget), push_(std::move(push)) {}

  Status run(const dispatch::LowWater& from) override;
  void stop() override {
    stopping_ = true;
    reading_.with([](feed::BatchReader* reader) {
      if (reader != nullptr) reader->interrupt();
    });
  }
  source::StreamState state() const override;

 private:
  Status read(feed::BatchReader& reader);

  feed::SourceLog& log_;
  const std::size_t part_bytes_;
  ByteBudget& budget_;
  const Push push_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> done_{0};
  Guarded<feed::BatchReader*> reading_{nullptr};
};

Status LogIntake::run(const dispatch::LowWater& from) {
  feed::BatchReaderOptions options;
  options.dialect = log_.runtime().lease().generation().facts().dialect;
  options.part_bytes = part_bytes_;
  feed::BatchReader reader(log_.log(), from.cseq, options);
  reading_.with([&](feed::BatchReader*& now) { now = &reader; });
  Status ended = read(reader);
  reading_.with([](feed::BatchReader*& now) { now = nullptr; });
  return ended;
}

Status LogIntake::read(feed::BatchReader& reader) {
  done_ = reader.done();
  while (!stopping_) {
    Result<std::unique_ptr<decode::Batch>> batch = reader.next(100ms);
    if (!batch.ok()) return batch.error().within("the log of the source");
    if (batch.value() == nullptr) {
      if (const std::optional<Error> failure = log_.failure()) return *failure;
      continue;
    }
    batch.value()->charge = budget_.charge(batch.value()->byte_size());
    if (!batch.value()->charge || !push_(std::move(batch).value())) return Unit{};
    done_ = reader.done();
  }
  return Unit{};
}

source::StreamState LogIntake::state() const {
  source::StreamState state = log_.stream();
  state.connected = state.connected && done_ >= log_.log().status().last_cseq;
  return state;
}

}  // namespace

IntakeFactory stream_intake(source::Runtime& runtime, bool by_gtid, std::uint64_t memory) {
  source::StreamOptions options;
  options.dump.by_gtid = by_gtid;
  options.assembler.dialect = runtime.lease().generation().facts().dialect;
  options.assembler.part_bytes = part_bytes_of(memory);
  options.assembler.payload_bytes_max = std::max<std::size_t>(memory / 4, 64 << 20);
  return [&runtime, options](ByteBudget& budget, Push push) -> std::unique_ptr<Intake> {
    return std::make_unique<StreamIntake>(runtime, options, budget, std::move(push));
  };
}

IntakeFactory log_intake(feed::SourceLog& log, std::uint64_t memory) {
  return [&log, part_bytes = part_bytes_of(memory)](ByteBudget& budget,
                                                    Push push) -> std::unique_ptr<Intake> {
    return std::make_unique<LogIntake>(log, part_bytes, budget, std::move(push));
  };
}

}  // namespace wherry::control
