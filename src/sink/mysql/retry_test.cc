// Which errors are tried again, and which are waited for because only an operator can end them.

#include "sink/mysql/retry.h"

#include <gtest/gtest.h>

namespace wherry::sink {
namespace {

using namespace std::chrono_literals;

Error server_error(unsigned code, std::string what = "text") {
  return {Errc::server, std::move(what), code};
}

Retry first_try(const Error& error) { return RetryClock(3600s).next(error); }
// A clock whose time is over from the beginning.
Retry too_late(const Error& error) { return RetryClock(-1s).next(error); }

TEST(RetryTest, WhatMayHealIsTriedAgain) {
  for (const unsigned code : {1213u, 1020u, 1317u, 1614u, 1040u})
    EXPECT_TRUE(first_try(server_error(code)).again) << code;
  EXPECT_TRUE(first_try({Errc::network, "gone", 2013}).again);
  EXPECT_TRUE(first_try({Errc::timeout, "late", 0}).again);
}

TEST(RetryTest, WhatCannotHealIsNot) {
  for (const unsigned code : {1062u, 1064u, 1146u, 1452u, 0u})
    EXPECT_FALSE(first_try(server_error(code)).again) << code;
  EXPECT_FALSE(first_try({Errc::conflict, "row missing", 0}).again);
  EXPECT_FALSE(first_try({Errc::malformed, "bytes", 0}).again);
  // The number means something else where the server did not say it.
  EXPECT_FALSE(first_try({Errc::conflict, "fenced", 1213}).again);
}

TEST(RetryTest, GivesUpInTheEnd) {
  EXPECT_FALSE(too_late(server_error(1213)).again);
  EXPECT_FALSE(too_late({Errc::network, "gone", 2013}).again);
}

TEST(RetryTest, OperatorIsWaitedForHoweverLong) {
  for (const unsigned code : {1021u, 1114u, 3u, 1026u}) {
    const Retry retry = too_late(server_error(code));
    EXPECT_TRUE(retry.again) << code;
    EXPECT_EQ(retry.waits_for, "disk space at the target") << code;
  }
  EXPECT_NE(too_late(server_error(1290)).waits_for.find("read-only"), std::string::npos);
  EXPECT_NE(too_late(server_error(1205)).waits_for.find("lock"), std::string::npos);
  EXPECT_TRUE(too_late(server_error(1205)).again);
}

TEST(RetryTest, FullDiskInTheEnginesWords) {
  const Retry full = too_late(server_error(1030, "Got error 28 \"No space left\" from storage"));
  EXPECT_TRUE(full.again);
  EXPECT_EQ(full.waits_for, "disk space at the target");
  EXPECT_FALSE(first_try(server_error(1030, "Got error 168 from storage engine")).again);
}

TEST(RetryTest, PausesGrowToALimit) {
  for (const Error& error : {server_error(1213), Error{Errc::network, "gone", 2013}}) {
    RetryClock clock(3600s);
    auto before = 0ms;
    for (int i = 0; i < 100; ++i) {
      const Retry retry = clock.next(error);
      EXPECT_GE(retry.pause, before);
      EXPECT_LE(retry.pause, 5000ms);
      before = retry.pause;
    }
    EXPECT_GE(before, 1000ms);
  }
  EXPECT_LT(first_try(server_error(1213)).pause, first_try(server_error(1205)).pause);
}

TEST(RetryTest, LogIsNotFlooded) {
  RetryClock clock(3600s);
  int told = 0;
  for (int i = 0; i < 120; ++i) told += clock.next({Errc::network, "gone", 2013}).tell ? 1 : 0;
  EXPECT_GE(told, 2);
  EXPECT_LE(told, 12);
  EXPECT_FALSE(first_try(server_error(1213)).tell);
}

TEST(RetryPauseTest, StopEndsIt) {
  EXPECT_FALSE(retry_pause(3600s, [] { return true; }));
  EXPECT_FALSE(retry_pause(0ms, [] { return true; }));
  EXPECT_TRUE(retry_pause(0ms, [] { return false; }));
}

TEST(DescribeWaitTest, NamesTheTargetAndWhatItSays) {
  const Error error = server_error(1114, "table is full");
  EXPECT_EQ(describe_wait({}, first_try(error), error), "disk space at the target (table is full)");
  const Error lost{Errc::network, "gone away", 2013};
  EXPECT_EQ(describe_wait({}, first_try(lost), lost), "the target: gone away");
}

}  // namespace
}  // namespace wherry::sink
