#include "control/state_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "control/feed_keys.h"
#include "control/folder_for_tests.h"

namespace wherry::control {
namespace {

using WallTime = std::chrono::system_clock::time_point;

WallTime at(int seconds) { return WallTime(std::chrono::seconds(seconds)); }

FeedRecord record(const std::string& name) {
  const Json keys = {{"name", name},
                     {"source", "mysql://reader:secret-1@old:3306/"},
                     {"sink", "file:///tmp/x"},
                     {"lanes", 3}};
  return {feed_from_json(keys).value(), {}, at(1), at(1)};
}

void sql(const std::string& path, const char* text) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

class Store : public ::testing::Test {
 protected:
  StateStore open() {
    Result<StateStore> store = StateStore::open(path());
    EXPECT_TRUE(store.ok()) << store.error().what;
    return std::move(store).value();
  }
  std::string path() const { return folder.file("state.db"); }

  FolderForTests folder;
};

TEST_F(Store, WhatIsStoredIsThereWhenItIsOpenedAgain) {
  FeedNote note{Wanted::paused, FeedState::warning, Error{Errc::server, "no\nrights", 1045}, 4, {}};
  const Checkpoint reached{77, {{"binlog.000004", 5'000'000'000}, "0-1-33"}, 12};
  {
    StateStore store = open();
    ASSERT_TRUE(store.add(record("b")).ok());
    ASSERT_TRUE(store.add(record("a")).ok());
    ASSERT_TRUE(store.set_note("a", note, at(9)).ok());
    const std::array passed = {StateStore::Passed{"a", reached}};
    ASSERT_TRUE(store.set_checkpoints(passed).ok());
  }
  const std::vector<FeedRecord> found = open().feeds().value();
  ASSERT_EQ(found.size(), 2U);
  const FeedRecord& a = found[0];
  EXPECT_EQ(a.spec.name, "a");
  EXPECT_EQ(a.spec.lanes, 3U);
  EXPECT_EQ(a.spec.source_uri, "mysql://reader:secret-1@old:3306/");
  EXPECT_EQ(a.note.wanted, Wanted::paused);
  EXPECT_EQ(a.note.state, FeedState::warning);
  EXPECT_EQ(a.note.error->code, Errc::server);
  EXPECT_EQ(a.note.error->what, "no\nrights");
  EXPECT_EQ(a.note.error->server_code, 1045U);
  EXPECT_EQ(a.note.retries, 4U);
  EXPECT_EQ(a.note.checkpoint, reached);
  EXPECT_EQ(a.created, at(1));
  EXPECT_EQ(a.changed, at(9));
  EXPECT_EQ(found[1].spec.name, "b");
  EXPECT_FALSE(found[1].note.error.has_value());
  EXPECT_FALSE(found[1].note.checkpoint.has_value());
}

TEST_F(Store, ANameIsThereOnce) {
  StateStore store = open();
  ASSERT_TRUE(store.add(record("a")).ok());
  const Status twice = store.add(record("a"));
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().code, Errc::conflict);
  ASSERT_TRUE(store.remove("a").ok());
  EXPECT_TRUE(store.add(record("a")).ok());
}

TEST_F(Store, AChangedSpecReplacesTheOldOne) {
  StateStore store = open();
  ASSERT_TRUE(store.add(record("a")).ok());
  FeedSpec spec = record("a").spec;
  spec.lanes = 9;
  ASSERT_TRUE(store.set_spec(spec, at(3)).ok());
  EXPECT_EQ(store.feeds().value()[0].spec.lanes, 9U);
  EXPECT_EQ(store.feeds().value()[0].changed, at(3));
}

TEST_F(Store, OnlyItsAccountMayReadIt) {
  const mode_t before = ::umask(0);
  StateStore store = open();
  ASSERT_TRUE(store.add(record("a")).ok());
  ::umask(before);
  for (const char* name : {"state.db", "state.db-wal", "state.db-shm"}) {
    struct stat found {};
    ASSERT_EQ(::stat(folder.file(name).c_str(), &found), 0) << name;
    EXPECT_EQ(found.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(Store, AnotherProgramsDatabaseIsRefused) {
  sql(path(), "CREATE TABLE something (x)");
  const Result<StateStore> store = StateStore::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, Errc::refused);
}

TEST_F(Store, ANewerVersionIsRefused) {
  { open(); }
  sql(path(), "PRAGMA user_version = 2");
  const Result<StateStore> store = StateStore::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, Errc::refused);
  EXPECT_NE(store.error().what.find("version 2"), std::string::npos);
}

TEST_F(Store, AFileThatIsNoDatabaseIsAnError) {
  {
    FILE* file = ::fopen(path().c_str(), "w");
    ::fputs("this is some text that is certainly not a database of anybody's at all\n", file);
    ::fclose(file);
  }
  EXPECT_FALSE(StateStore::open(path()).ok());
}

TEST_F(Store, AFeedThatCannotBeReadIsNamed) {
  StateStore store = open();
  ASSERT_TRUE(store.add(record("a")).ok());
  sql(path(), "UPDATE feed SET state = 'odd'");
  const auto feeds = store.feeds();
  ASSERT_FALSE(feeds.ok());
  EXPECT_NE(feeds.error().what.find("stored feed a"), std::string::npos);
}

// A child adds feeds and says so, one byte each, until it is killed: what it said is there.
TEST_F(Store, WhatACallReturnedSurvivesAKill) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Result<StateStore> store = StateStore::open(path());
    for (int i = 0; store.ok(); ++i) {
      const std::string name = "feed-" + std::to_string(i);
      FeedNote note;
      note.wanted = Wanted::paused;
      const bool done =
          store.value().add(record(name)).ok() && store.value().set_note(name, note, at(5)).ok();
      if (!done || ::write(pipe[1], "x", 1) != 1) ::_exit(1);
    }
    ::_exit(1);
  }
  ::close(pipe[1]);
  std::size_t said = 0;
  std::array<char, 64> bytes{};
  while (said < 40) {
    const ssize_t got = ::read(pipe[0], bytes.data(), bytes.size());
    ASSERT_GT(got, 0);
    said += static_cast<std::size_t>(got);
  }
  ::kill(child, SIGKILL);
  for (ssize_t got = 0; (got = ::read(pipe[0], bytes.data(), bytes.size())) > 0;)
    said += static_cast<std::size_t>(got);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));

  const std::vector<FeedRecord> found = open().feeds().value();
  EXPECT_GE(found.size(), said);
  EXPECT_LE(found.size(), said + 1);
  std::size_t noted = 0;
  for (const FeedRecord& one : found) noted += one.note.wanted == Wanted::paused ? 1 : 0;
  EXPECT_GE(noted, said);
}

}  // namespace
}  // namespace wherry::control
