// table_feed_bench FOLDER [TABLES]: a feed in table mode beside many tables. What it costs while
// nothing comes, once each table had a row; and what a transaction costs a walk that follows its
// table, and one that does not. The folder is left with the log in it.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "feed/table_feed.h"

namespace wherry::feed {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kTransactionsOfBatch = 256;
constexpr std::uint64_t kWalked = 400'000;  // transactions
constexpr auto kIdle = 5s;

template <typename R>
R must(R result) {
  if (result.ok()) return result;
  fmt::print(stderr, "table_feed_bench: {}\n", result.error().what);
  std::exit(1);
}

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Everything is durable as soon as it comes.
class NullSink final : public dispatch::AsyncSink {
 public:
  Status start(Listener& listener) override {
    listener_ = &listener;
    return Unit{};
  }
  void accept(std::unique_ptr<dispatch::TableRows> rows) override {
    listener_->durable(rows->stream, rows->ticket);
  }
  void write_block_event(dispatch::BlockEvent event) override {
    listener_->block_event_durable(event.id);
  }
  void close() override {}
  std::uint64_t changes() const override { return 0; }
  std::map<std::string, double> gauges() const override { return {}; }

 private:
  Listener* listener_ = nullptr;
};

std::string le(std::uint64_t value, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

// Transactions of one inserted row, in the bytes that MySQL would write.
class Source {
 public:
  explicit Source(store::Log& log) : writer_(log) {
    decode::FormatDescription format;
    format.post_header_sizes.assign(42, 10);
    format.post_header_sizes[18] = 8;  // table map
    format.server_version = "9.7.4";
    format_ = std::make_shared<const decode::FormatDescription>(std::move(format));
  }

  // The next `count` transactions go to the tables in turn.
  void transactions(std::uint64_t count, std::uint64_t tables) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (batch_ == nullptr) begin();
      insert(1 + i % tables);
      if (cseq_ % kTransactionsOfBatch == 0 || i + 1 == count) {
        (void)must(writer_.put(*batch_));
        batch_.reset();
      }
    }
  }
  std::uint64_t last() const { return cseq_; }

 private:
  void begin() {
    batch_ = std::make_unique<decode::Batch>();
    batch_->format = format_;
    batch_->file = "binlog.000001";
    batch_->generation = 1;
    batch_->gtid_sources = {"11111111-2222-3333-4444-555555555555"};
  }
  void add(decode::EventType type, const std::string& body) {
    decode::EventRef ref;
    ref.offset = batch_->bytes.size();
    ref.size = static_cast<std::uint32_t>(body.size());
    ref.type = type;
    batch_->events.push_back(ref);
    const Bytes bytes = as_bytes(body);
    batch_->bytes.insert(batch_->bytes.end(), bytes.begin(), bytes.end());
  }
  void insert(std::uint64_t table) {
    decode::Group group;
    group.cseq = ++cseq_;
    group.end_offset = 100 * cseq_;
    group.commit_us = 1'700'000'000'000'000 + cseq_;
    group.gtid.number = cseq_;
    group.first_event = static_cast<std::uint32_t>(batch_->events.size());
    group.event_count = 2;
    const std::string name = fmt::format("t{:06}", table);
    std::string map =
        le(table, 6) + le(1, 2) + "\2db" + '\0' + static_cast<char>(name.size()) + name + '\0';
    map += std::string("\2\x08\x08\0\0\4\5\2id\1v", 12);  // two BIGINT, and what they are called
    add(decode::EventType::table_map, map);
    add(decode::EventType::write_rows_v2,
        le(table, 6) + le(1, 2) + le(2, 2) + "\2\3" + '\0' + le(cseq_, 8) + le(7, 8));
    batch_->groups.push_back(group);
  }

  BatchWriter writer_;
  std::shared_ptr<const decode::FormatDescription> format_;
  std::unique_ptr<decode::Batch> batch_;
  std::uint64_t cseq_ = 0;
};

void walk(store::Log& log, std::uint64_t last, const std::string& what, const TableRules& rules) {
  XaBook book;
  StreamWalk through(log, {1, 0}, rules, book, {});
  const double before = cpu_s();
  std::uint64_t rows = 0;
  while (through.done() < last) {
    if (must(through.next(100ms)).value() != nullptr) ++rows;
  }
  fmt::print("{:<10} {:8.0f} ns a transaction, {} rows\n", what,
             (cpu_s() - before) / static_cast<double>(last) * 1e9, rows);
}

void idle(store::Log& log, Source& source, std::uint64_t tables) {
  TableFeedOptions options;
  options.name = "idle";
  options.done = source.last();
  Bells bells;
  options.bells = &bells;
  source.transactions(tables, tables);
  TableFeed feed(log, options, std::make_unique<NullSink>(), nullptr);
  std::thread running([&] { (void)feed.run(); });
  while (feed.progress()->cseq < source.last()) std::this_thread::sleep_for(10ms);
  const double before = cpu_s();
  std::this_thread::sleep_for(kIdle);
  const double used = cpu_s() - before;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double part = used / std::chrono::duration<double>(kIdle).count();
  fmt::print("{:<10} {:8.3f} % of a core, {} tables, {} MB\n", "idle", part * 100,
             feed.progress()->gauges.at("dispatchers"), usage.ru_maxrss / 1024);
  feed.stop();
  running.join();
}

void run(const std::string& folder, std::uint64_t tables) {
  store::Options options;
  options.folder = folder;
  options.identity = "bench";
  options.begin.file = {"binlog.000001", 4};
  const std::unique_ptr<store::Log> log = std::move(must(store::Log::open(options)).value());
  Source source(*log);
  constexpr std::uint64_t kTables = 64;
  source.transactions(kWalked, kTables);
  const std::uint64_t last = source.last();
  TableRules one;
  one.selection = Selection({Pattern::parse("db.t000001").value()}, {}, NameCase::exact);
  TableRules none;
  none.selection = Selection({Pattern::parse("other.t").value()}, {}, NameCase::exact);
  for (int round = 0; round < 3; ++round) {
    walk(*log, last, "all", TableRules());
    walk(*log, last, "one of 64", one);
    walk(*log, last, "none", none);
  }
  idle(*log, source, tables);
}

}  // namespace
}  // namespace wherry::feed

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: table_feed_bench FOLDER [TABLES]\n");
    return 2;
  }
  wherry::feed::run(words[1], count > 2 ? std::strtoull(words[2], nullptr, 10) : 100'000);
  return 0;
}
