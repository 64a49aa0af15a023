// The file sink with its threads: what is durable, and that each change stands there once after a
// process died anywhere.

#include "sink/file/file_sink.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sink/file/rows_for_tests.h"
#include "support/guarded.h"

namespace wherry::sink {
namespace {

using Strings = std::vector<std::string>;

class Ears final : public dispatch::AsyncSink::Listener {
 public:
  void durable(std::uint64_t stream, std::uint64_t ticket) override {
    heard_.with([&](Heard& heard) { heard.tickets[stream] = ticket; });
  }
  void block_event_durable(std::uint64_t id) override {
    heard_.with([&](Heard& heard) { heard.blocks.push_back(id); });
  }
  void failed(const Error& error) override {
    heard_.with([&](Heard& heard) { heard.error = error; });
  }
  testing::AssertionResult wait_ticket(std::uint64_t stream, std::uint64_t ticket) {
    return wait([&](const Heard& heard) {
      const auto found = heard.tickets.find(stream);
      return found != heard.tickets.end() && found->second >= ticket;
    });
  }
  testing::AssertionResult wait_blocks(std::size_t count) {
    return wait([&](const Heard& heard) { return heard.blocks.size() >= count; });
  }
  std::optional<Error> wait_error() {
    (void)heard_.wait_for(kLong, [](const Heard& heard) { return heard.error.has_value(); });
    return heard_.read([](const Heard& heard) { return heard.error; });
  }

 private:
  static constexpr std::chrono::seconds kLong{60};
  struct Heard {
    std::map<std::uint64_t, std::uint64_t> tickets;
    std::vector<std::uint64_t> blocks;
    std::optional<Error> error;
  };
  template <typename P>
  testing::AssertionResult wait(P&& ready) {
    (void)heard_.wait_for(kLong, [&](const Heard& heard) { return heard.error || ready(heard); });
    return heard_.read([&](const Heard& heard) {
      if (heard.error) return testing::AssertionFailure() << heard.error->what;
      return ready(heard) ? testing::AssertionSuccess() : testing::AssertionFailure();
    });
  }
  Guarded<Heard> heard_;
};

class FileSinkTest : public ::testing::Test {
 protected:
  FileSinkTest() {
    std::string name = (std::filesystem::temp_directory_path() / "file_sink_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    options_.folder = folder_;
  }
  ~FileSinkTest() override { std::filesystem::remove_all(folder_); }
  void start() {
    sink_ = make_file_sink(options_);
    ears_ = std::make_unique<Ears>();
    ASSERT_TRUE(sink_->start(*ears_).ok());
  }
  void send(const std::string& table, std::uint64_t stream, std::uint64_t ticket,
            std::uint64_t cseq, std::size_t rows) {
    auto part = std::make_unique<dispatch::TableRows>();
    add_rows(*part, small_table(table), cseq, 10 * cseq, rows);
    part->stream = stream;
    part->ticket = ticket;
    sink_->accept(std::move(part));
  }
  // "cseq.row" of each line, whatever it is.
  Strings marks(const std::string& file) const {
    Strings out;
    std::ifstream in(folder_ + "/" + file);
    for (std::string line; std::getline(in, line);) {
      const auto mark = mark_of(line);
      out.push_back(mark ? std::to_string(mark->cseq) + "." + std::to_string(mark->number) : line);
    }
    return out;
  }

  std::string folder_;
  FileSinkOptions options_;
  std::unique_ptr<Ears> ears_;
  std::unique_ptr<dispatch::AsyncSink> sink_;
};

TEST_F(FileSinkTest, ChangesAndStatementsStandInTheirFiles) {
  start();
  send("a", 1, 1, 5, 2);
  send("b", 2, 1, 5, 1);
  send("a", 1, 2, 5, 1);  // the same transaction goes on
  ASSERT_TRUE(ears_->wait_ticket(1, 2));
  ASSERT_TRUE(ears_->wait_ticket(2, 1));
  sink_->write_block_event(statement_at(6, {{"db", "a"}, {"db", "b"}}));
  sink_->write_block_event(statement_at(7, {}));
  ASSERT_TRUE(ears_->wait_blocks(2));
  send("a", 1, 3, 8, 1);
  ASSERT_TRUE(ears_->wait_ticket(1, 3));
  EXPECT_EQ(sink_->changes(), 5u);
  sink_->close();
  EXPECT_EQ(marks("db.a.jsonl"), (Strings{"5.1", "5.2", "5.3", "6.1", "8.1"}));
  EXPECT_EQ(marks("db.b.jsonl"), (Strings{"5.1", "6.1"}));
  EXPECT_EQ(marks("_schema.jsonl"), (Strings{"6.1", "7.1"}));
  std::ifstream in(folder_ + "/db.a.jsonl");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, R"({"op":"insert","db":"db","table":"a","cseq":5,"row":1,"gtid":"0-1-5",)"
                  R"("ts":"2023-11-14T22:13:20.000005Z","after":{"id":50}})");
}

TEST_F(FileSinkTest, WhatComesAgainIsLeftOut) {
  start();
  send("a", 1, 1, 5, 3);
  ASSERT_TRUE(ears_->wait_ticket(1, 1));
  sink_->write_block_event(statement_at(9, {{"db", "a"}}));
  ASSERT_TRUE(ears_->wait_blocks(1));
  sink_->write_block_event(statement_at(7, {}));
  ASSERT_TRUE(ears_->wait_blocks(2));
  sink_->close();
  start();
  send("a", 1, 1, 5, 3);
  sink_->write_block_event(statement_at(7, {}));
  send("a", 1, 2, 10, 2);
  ASSERT_TRUE(ears_->wait_ticket(1, 2));
  sink_->write_block_event(statement_at(8, {}));
  ASSERT_TRUE(ears_->wait_blocks(2));
  sink_->close();
  EXPECT_EQ(marks("db.a.jsonl"), (Strings{"5.1", "5.2", "5.3", "9.1", "10.1", "10.2"}));
  EXPECT_EQ(marks("_schema.jsonl"), (Strings{"9.1", "7.1", "8.1"}));
}

TEST_F(FileSinkTest, MoreTablesThanDescriptors) {
  options_.files_open_max = 3;
  options_.writers = 1;
  start();
  for (std::uint64_t cseq = 1; cseq <= 4; ++cseq) {
    for (std::uint64_t table = 1; table <= 20; ++table)
      send("t" + std::to_string(table), table, cseq, cseq, 1);
  }
  for (std::uint64_t table = 1; table <= 20; ++table) ASSERT_TRUE(ears_->wait_ticket(table, 4));
  sink_->close();
  for (int table = 1; table <= 20; ++table)
    EXPECT_EQ(marks("db.t" + std::to_string(table) + ".jsonl"),
              (Strings{"1.1", "2.1", "3.1", "4.1"}));
}

TEST_F(FileSinkTest, FailedSyncIsNotDurable) {
  options_.calls.sync = [](int) {
    errno = EIO;
    return -1;
  };
  start();
  send("a", 1, 1, 5, 1);
  const auto error = ears_->wait_error();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, Errc::io);
  EXPECT_NE(error->what.find("db.a.jsonl"), std::string::npos);
  EXPECT_EQ(sink_->changes(), 0u);
}

// The write that a process does not survive: it comes in part.
std::atomic<int> writes_left{0};
ssize_t write_or_die(int file, const void* bytes, std::size_t size) {
  if (writes_left.fetch_sub(1) > 1) return ::write(file, bytes, std::min<std::size_t>(size, 700));
  if (size > 1) (void)!::write(file, bytes, size * 2 / 3);
  ::_exit(9);
}

TEST_F(FileSinkTest, EachChangeStandsThereOnceAfterAnyDeath) {
  constexpr std::uint64_t kTransactions = 40;
  options_.calls.write = write_or_die;
  const auto send_all = [&] {
    std::uint64_t ticket = 0;
    for (std::uint64_t cseq = 1; cseq <= kTransactions; ++cseq) {
      ++ticket;
      send("a", 1, ticket, cseq, 1 + cseq % 3);
      send("b", 2, ticket, cseq, 1 + cseq % 5);
      if (cseq % 10 != 0) continue;
      if (!ears_->wait_ticket(1, ticket) || !ears_->wait_ticket(2, ticket)) return false;
      sink_->write_block_event(statement_at(cseq, {{"db", "a"}}));
      if (!ears_->wait_blocks(cseq / 10)) return false;
    }
    return true;
  };
  Strings a, b, schema;
  for (std::uint64_t cseq = 1; cseq <= kTransactions; ++cseq) {
    std::uint64_t row = 0;
    for (std::uint64_t i = 0; i < 1 + cseq % 3; ++i)
      a.push_back(std::to_string(cseq) + "." + std::to_string(++row));
    for (std::uint64_t i = 0; i < 1 + cseq % 5; ++i)
      b.push_back(std::to_string(cseq) + "." + std::to_string(i + 1));
    if (cseq % 10 != 0) continue;
    a.push_back(std::to_string(cseq) + "." + std::to_string(++row));
    schema.push_back(std::to_string(cseq) + ".1");
  }
  int deaths = 0;
  for (int round = 1; round < 400; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      writes_left = 1 + round % 7;
      start();
      const bool all = send_all();
      sink_->close();
      ::_exit(all ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 0) break;
    ASSERT_EQ(WEXITSTATUS(status), 9);
    ++deaths;
  }
  EXPECT_GT(deaths, 5);
  EXPECT_EQ(marks("db.a.jsonl"), a);
  EXPECT_EQ(marks("db.b.jsonl"), b);
  EXPECT_EQ(marks("_schema.jsonl"), schema);
}

TEST(FileSink, OptionsAreChecked) {
  EXPECT_TRUE(open_file_sink(parse_uri("file:///tmp/x?writers=3").value()).ok());
  EXPECT_EQ(open_file_sink(parse_uri("file:///tmp/x?writer=3").value()).error().code, Errc::usage);
  EXPECT_FALSE(open_file_sink(parse_uri("file:///tmp/x?writers=0").value()).ok());
  EXPECT_FALSE(open_file_sink(parse_uri("file://").value()).ok());
}

}  // namespace
}  // namespace wherry::sink
