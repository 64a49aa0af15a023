#include "sink/blackhole/blackhole_sink.h"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>

#include "support/guarded.h"
#include "support/nearest.h"
#include "support/units.h"

namespace wherry::sink {
namespace {

using Clock = std::chrono::steady_clock;
using std::string_view_literals::operator""sv;

constexpr std::array kOptions = {"latency"sv};

class BlackholeSink final : public dispatch::AsyncSink {
 public:
  explicit BlackholeSink(std::chrono::milliseconds latency) : latency_(latency) {}
  ~BlackholeSink() override { close(); }

  Status start(Listener& listener) override {
    listener_ = &listener;
    thread_ = std::thread([this] { run(); });
    return Unit{};
  }
  void accept(std::unique_ptr<dispatch::TableRows> rows) override {
    push({Clock::now() + latency_, std::move(rows), 0});
  }
  void write_block_event(dispatch::BlockEvent event) override {
    push({Clock::now() + latency_, nullptr, event.id});
  }
  void close() override {
    queue_.with([](Queue& queue) { queue.closed = true; });
    if (thread_.joinable()) thread_.join();
  }
  std::uint64_t changes() const override { return rows_.load(std::memory_order_relaxed); }
  std::map<std::string, double> gauges() const override {
    return {{"sink_rows", static_cast<double>(rows_.load(std::memory_order_relaxed))},
            {"sink_bytes", static_cast<double>(bytes_.load(std::memory_order_relaxed))}};
  }

 private:
  struct Item {
    Clock::time_point due;
    std::unique_ptr<dispatch::TableRows> rows;
    std::uint64_t block = 0;
  };
  struct Queue {
    std::deque<Item> items;
    bool closed = false;
  };

  void push(Item item) {
    queue_.with([&](Queue& queue) {
      if (!queue.closed) queue.items.push_back(std::move(item));
    });
  }

  // The latency is the same for all, so what came first is due first.
  void run() {
    while (std::optional<Item> item = next()) {
      if (item->rows == nullptr) {
        listener_->block_event_durable(item->block);
        continue;
      }
      Status counted = count(*item->rows);
      if (!counted.ok()) return listener_->failed(counted.error());
      listener_->durable(item->rows->stream, item->rows->ticket);
    }
  }

  std::optional<Item> next() {
    const auto due = queue_.wait(
        [](const Queue& queue) { return queue.closed || !queue.items.empty(); },
        [](Queue& queue) { return queue.closed ? Clock::time_point{} : queue.items.front().due; });
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
    if (left.count() > 0)
      (void)queue_.wait_for(left, [](const Queue& queue) { return queue.closed; });
    return queue_.with([](Queue& queue) -> std::optional<Item> {
      if (queue.closed) return std::nullopt;
      Item item = std::move(queue.items.front());
      queue.items.pop_front();
      return item;
    });
  }

  Status count(const dispatch::TableRows& rows) {
    std::uint64_t wanted = 0;
    Status done = dispatch::for_each_change(rows, [&](const dispatch::ChangeView& change) {
      if (change.wanted) ++wanted;
      return Status(Unit{});
    });
    rows_.fetch_add(wanted, std::memory_order_relaxed);
    bytes_.fetch_add(rows.bytes.size(), std::memory_order_relaxed);
    return done;
  }

  const std::chrono::milliseconds latency_;
  Listener* listener_ = nullptr;
  std::thread thread_;
  Guarded<Queue> queue_;
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace

Result<std::unique_ptr<dispatch::AsyncSink>> open_blackhole(const Uri& uri) {
  std::chrono::milliseconds latency{0};
  for (const auto& [name, value] : uri.options) {
    if (name != "latency") {
      return Error{
          Errc::usage,
          fmt::format("blackhole:// has no option '{}'{}", name, did_you_mean(name, kOptions)), 0};
    }
    Result<std::chrono::milliseconds> parsed = parse_duration(value);
    if (!parsed.ok()) return parsed.error().within("blackhole:// latency");
    latency = parsed.value();
  }
  return std::unique_ptr<dispatch::AsyncSink>(std::make_unique<BlackholeSink>(latency));
}

}  // namespace wherry::sink
