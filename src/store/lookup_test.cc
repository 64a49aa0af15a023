// Every name of a place leads to the same transaction, in old segments and in the newest part.

#include "store/lookup.h"

#include <gtest/gtest.h>

#include "store/log_for_tests.h"

namespace wherry::store {
namespace {

std::string set_to(std::uint64_t last) {
  return last == 1 ? fmt::format("{}:1", kUuid) : fmt::format("{}:1-{}", kUuid, last);
}

TEST(StoreLookup, FindsEachTransactionByEveryName) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  append_all(*log, 1, 150);
  Lookup lookup = log->lookup();
  for (std::uint64_t cseq = 1; cseq <= 150; cseq += 7) {
    const Commit commit = commit_of(cseq);
    EXPECT_EQ(lookup.by_cseq(cseq).value()->file.offset, commit.end_offset);
    EXPECT_EQ(lookup.by_time(commit.commit_us).value()->cseq, cseq);
    EXPECT_EQ(lookup.by_time(commit.commit_us - 9).value()->cseq, cseq);  // lower bound
    const FilePosition file{std::string(commit.file), commit.end_offset};
    EXPECT_EQ(lookup.by_file(1, file).value()->cseq, cseq);
    EXPECT_EQ(lookup.by_file(1, {file.file, file.offset - 99}).value()->cseq, cseq);
    EXPECT_EQ(lookup.by_gtid(set_to(cseq)).value()->cseq, cseq);
    EXPECT_EQ(lookup.place_after(cseq).value().gtid, set_to(cseq));
    EXPECT_EQ(lookup.place_after(cseq).value().cseq, cseq);
  }
}

TEST(StoreLookup, KnowsItsEdges) {
  const Folder folder;
  Options options = small_options(folder.path());
  options.begin.cseq = 20;
  options.begin.gtid = set_to(20);
  const auto log = open_log(options);
  EXPECT_EQ(log->lookup().place_after(20).value().gtid, set_to(20));
  append_all(*log, 21, 60);
  Lookup lookup = log->lookup();
  EXPECT_FALSE(lookup.by_cseq(61).value().has_value());
  EXPECT_FALSE(lookup.by_time(std::uint64_t{1} << 60).value().has_value());
  EXPECT_FALSE(lookup.by_gtid(set_to(61)).value().has_value());
  EXPECT_EQ(lookup.by_gtid(set_to(20)).value()->cseq, 20u);
  EXPECT_EQ(lookup.by_gtid(set_to(19)).error().code, Errc::lost);
  EXPECT_EQ(lookup.by_cseq(20).error().code, Errc::lost);
  EXPECT_FALSE(lookup.by_gtid("no set").ok());
  EXPECT_EQ(lookup.place_after(19).error().code, Errc::lost);
  EXPECT_EQ(lookup.place_after(61).error().code, Errc::lost);
  EXPECT_EQ(lookup.by_file(2, {"binlog.000001", 4}).value().has_value(), false);
}

TEST(StoreLookup, DoesNotWaitForTheDisk) {
  const Folder folder;
  const auto log = open_log(small_options(folder.path()));
  append_all(*log, 1, 9);
  Lookup lookup = log->lookup();
  EXPECT_EQ(lookup.end().value().cseq, 9u);
  EXPECT_EQ(lookup.end().value().gtid, set_to(9));
  EXPECT_EQ(lookup.place_after(5).value().gtid, set_to(5));
  EXPECT_EQ(lookup.by_cseq(7).value()->cseq, 7u);
  EXPECT_EQ(log->durable_cseq(), 0u);
  ok(log->sync_to(9));
  EXPECT_EQ(lookup.end().value(), lookup.place_after(9).value());
}

}  // namespace
}  // namespace wherry::store
