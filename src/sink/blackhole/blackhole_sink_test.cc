// It counts, and it tells in order.

#include "sink/blackhole/blackhole_sink.h"

#include <gtest/gtest.h>

#include "support/guarded.h"

namespace wherry::sink {
namespace {

class Ears final : public dispatch::AsyncSink::Listener {
 public:
  void durable(std::uint64_t stream, std::uint64_t ticket) override {
    heard_.with([&](auto& heard) { heard.push_back(100 * stream + ticket); });
  }
  void block_event_durable(std::uint64_t id) override {
    heard_.with([&](auto& heard) { heard.push_back(id); });
  }
  void failed(const Error&) override {}
  std::vector<std::uint64_t> wait(std::size_t count) {
    (void)heard_.wait_for(std::chrono::seconds(60),
                          [&](const auto& heard) { return heard.size() >= count; });
    return heard_.read([](const auto& heard) { return heard; });
  }

 private:
  Guarded<std::vector<std::uint64_t>> heard_;
};

std::unique_ptr<dispatch::TableRows> rows(std::uint64_t stream, std::uint64_t ticket) {
  auto made = std::make_unique<dispatch::TableRows>();
  made->stream = stream;
  made->ticket = ticket;
  return made;
}

TEST(Blackhole, EverythingBecomesDurableInItsOrder) {
  for (const char* uri : {"blackhole://", "blackhole://?latency=2ms"}) {
    Ears ears;
    auto sink = open_blackhole(parse_uri(uri).value());
    ASSERT_TRUE(sink.ok());
    ASSERT_TRUE(sink.value()->start(ears).ok());
    sink.value()->accept(rows(1, 1));
    sink.value()->accept(rows(2, 1));
    dispatch::BlockEvent event;
    event.id = 7;
    sink.value()->write_block_event(event);
    sink.value()->accept(rows(1, 2));
    EXPECT_EQ(ears.wait(4), (std::vector<std::uint64_t>{101, 201, 7, 102}));
    sink.value()->close();
  }
}

TEST(Blackhole, ClosesWithoutWaitingForItsLatency) {
  Ears ears;
  auto sink = open_blackhole(parse_uri("blackhole://?latency=1h").value());
  ASSERT_TRUE(sink.value()->start(ears).ok());
  sink.value()->accept(rows(1, 1));
  sink.value()->close();
  EXPECT_TRUE(ears.wait(0).empty());
}

TEST(Blackhole, OptionsAreChecked) {
  const auto refused = open_blackhole(parse_uri("blackhole://?latncy=1s").value());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("latency"), std::string::npos);
  EXPECT_FALSE(open_blackhole(parse_uri("blackhole://?latency=soon").value()).ok());
}

}  // namespace
}  // namespace wherry::sink
