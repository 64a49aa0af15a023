#include "redo/writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/block.h"

namespace wherry::redo {

using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 100ms;

// Frames the block; its body stands where it was collected unless packing makes it smaller.
void finish(Block& block, bool compress, std::vector<std::byte>& packed) {
  const Bytes body = Bytes(block.bytes).subspan(store::kBlockHead, block.header.body_bytes);
  const Bytes stored = store::pack(block.header, body, compress, packed);
  if (block.header.codec != store::Codec::none) {
    std::vector<std::byte> bytes(store::framed_bytes(block.header));
    std::memcpy(bytes.data() + store::kBlockHead, stored.data(), stored.size());
    block.bytes = std::move(bytes);
    block.charge.resize(block.bytes.size());
  }
  store::frame(block.header, block.bytes);
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::make(storage::Storage& storage, const Claim& claim,
                                             std::unique_ptr<store::RecordSource> records,
                                             const WriterOptions& options, Moved moved) {
  std::unique_ptr<Writer> writer(new Writer(storage, claim, options, std::move(moved)));
  Result<Collector> collector = Collector::make(std::move(records), writer->ledger_, claim.dialect,
                                                claim.begin, options.collector);
  if (!collector.ok()) return collector.error();
  writer->collector_ = std::make_unique<Collector>(std::move(collector).value());
  return writer;
}

Writer::Writer(storage::Storage& storage, const Claim& claim, const WriterOptions& options,
               Moved moved)
    : claim_(claim),
      options_(options),
      ledger_(options.memory),
      raw_(2 * options.memory),  // the ledger bounds it
      uploads_(storage, {options.uploaders, options.unreleased_max},
               {claim.begin, 0, 0, claim.snapshot.value_or(SnapshotMark{})},
               {[this] { encoded_.poke(); }, std::move(moved)}) {}

Writer::~Writer() {
  abort();
  join();
}

void Writer::start() {
  threads_.collector = std::thread([this] { collect(); });
  for (unsigned i = 0; i < std::max(1U, options_.encoders); ++i)
    threads_.encoders.emplace_back([this] { encode(); });
  threads_.assembler = std::thread([this] { assemble(); });
  for (unsigned i = 0; i < std::max(1U, options_.uploaders); ++i) {
    threads_.uploaders.emplace_back([this] {
      Status done = uploads_.run(stop_.get_token());
      if (!done.ok() && done.error().code != Errc::interrupted) fail(done.error());
    });
  }
}

void Writer::collect() {
  while (!marks_.stopping) {
    Result<std::optional<Block>> block = collector_->next(kTick);
    if (!block.ok()) {
      if (block.error().code != Errc::interrupted) fail(block.error().within("redo"));
      break;
    }
    if (!block.value()) continue;
    marks_.taken = block.value()->after.cseq;
    if (!raw_.push(std::move(*block.value()))) break;
  }
  collector_->end();
  raw_.close();
  encoded_.close(collector_->tickets());
}

void Writer::encode() {
  std::vector<std::byte> packed;
  while (std::optional<Block> block = raw_.pop()) {
    finish(*block, options_.compress, packed);
    const std::uint64_t ticket = block->ticket;
    encoded_.put(ticket, std::move(*block));
  }
}

void Writer::assemble() {
  FileBuilder builder(claim_);
  while (!stop_.stop_requested()) {
    auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(kTick);
    if (builder.bytes() != 0) {
      const OpenFile open{builder.bytes(), builder.first_at(), builder.seals()};
      const auto left =
          next_look(open, options_.cut, uploads_.load()) - std::chrono::steady_clock::now();
      wait = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(left), 1ms, wait);
    }
    std::optional<Block> block = encoded_.take(wait);
    if (block) builder.add(std::move(*block));
    const bool last = !block && encoded_.drained();
    while (!uploads_.wait_for_room(kTick) && !stop_.stop_requested()) {
    }
    if (seal_if_due(builder, last)) continue;
    marks_.open_since = builder.bytes() == 0 ? 0 : builder.first_at().time_since_epoch().count();
    if (last) break;
  }
  uploads_.close();
}

bool Writer::seal_if_due(FileBuilder& builder, bool last) {
  UploadLoad load = uploads_.load();
  load.full = ledger_.used() + options_.collector.block_bytes >= options_.memory;
  const OpenFile open{builder.bytes(), builder.first_at(), builder.seals() || last};
  if (!is_due(open, options_.cut, load, std::chrono::steady_clock::now())) return false;
  const std::uint64_t durable = uploads_.durable()->place.cseq;
  uploads_.put(builder.seal(durable, std::min(durable, marks_.checkpoint.load())));
  marks_.open_since = 0;
  return true;
}

void Writer::fail(const Error& error) {
  failure_.with([&](std::optional<Error>& failure) {
    if (!failure) failure = error;
  });
  abort();
}

void Writer::abort() {
  marks_.stopping = true;
  stop_.request_stop();
  collector_->interrupt();
  ledger_.close();
  raw_.close();
  uploads_.abandon();
  encoded_.poke();
}

void Writer::join() {
  const auto end = [](std::thread& thread) {
    if (thread.joinable()) thread.join();
  };
  end(threads_.collector);
  for (std::thread& thread : threads_.encoders) end(thread);
  end(threads_.assembler);
  for (std::thread& thread : threads_.uploaders) end(thread);
}

Status Writer::stop() {
  marks_.stopping = true;
  const Instant limit = std::chrono::steady_clock::now() + options_.drain;
  const auto left = [&] {
    const UploadCounts counts = uploads_.counts();
    return counts.unreleased != 0 || ledger_.used() != 0;
  };
  while (left() && std::chrono::steady_clock::now() < limit && !stop_.stop_requested())
    std::this_thread::sleep_for(5ms);
  abort();
  join();
  const std::optional<Error> failure =
      failure_.read([](const std::optional<Error>& error) { return error; });
  if (failure) return *failure;
  return Unit{};
}

void Writer::set_checkpoint(std::uint64_t cseq) { marks_.checkpoint = cseq; }

WriterStatus Writer::status() const {
  WriterStatus status;
  status.durable = uploads_.durable();
  status.uploads = uploads_.counts();
  status.held_bytes = ledger_.used();
  status.peak_bytes = ledger_.peak();
  status.taken_cseq = marks_.taken;
  status.oldest = status.uploads.oldest;
  const std::int64_t open = marks_.open_since;
  if (!status.oldest && open != 0) status.oldest = Instant(Instant::duration(open));
  status.failure = failure_.read([](const std::optional<Error>& error) { return error; });
  return status;
}

}  // namespace wherry::redo
