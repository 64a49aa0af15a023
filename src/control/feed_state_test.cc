#include "control/feed_state.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace wherry::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array kStates = {FeedState::normal, FeedState::warning, FeedState::failed,
                                FeedState::stopped, FeedState::finished};
constexpr std::array kEvents = {FeedEvent::progressed, FeedEvent::erred,   FeedEvent::broke,
                                FeedEvent::paused,     FeedEvent::resumed, FeedEvent::ended};

Error passing() { return {Errc::network, "the line is cut", 0}; }

feed::FeedProgress at(std::uint64_t cseq) {
  feed::FeedProgress progress;
  progress.cseq = cseq;
  return progress;
}

// What each event makes of each state; "-": refused.
TEST(FeedState, MovesByItsTable) {
  constexpr std::array<std::array<const char*, 6>, 5> kExpected = {{
      // progressed, erred, broke, paused, resumed, ended
      {"normal", "warning", "failed", "stopped", "-", "finished"},        // normal
      {"normal", "warning", "failed", "stopped", "warning", "finished"},  // warning
      {"-", "-", "-", "stopped", "normal", "-"},                          // failed
      {"-", "-", "-", "-", "normal", "-"},                                // stopped
      {"-", "-", "-", "-", "-", "-"},                                     // finished
  }};
  for (std::size_t state = 0; state < kStates.size(); ++state) {
    for (std::size_t event = 0; event < kEvents.size(); ++event) {
      const auto next = next_state(kStates[state], kEvents[event]);
      EXPECT_EQ(next ? to_string(*next) : "-", kExpected[state][event])
          << to_string(kStates[state]) << " event " << event;
    }
  }
}

TEST(FeedState, IsReadAsItIsWritten) {
  for (const FeedState state : kStates) EXPECT_EQ(parse_feed_state(to_string(state)), state);
  EXPECT_FALSE(parse_feed_state("paused").has_value());
}

TEST(FeedState, ErrorsHaveTheirPolicyByKind) {
  for (const Errc code :
       {Errc::network, Errc::timeout, Errc::server, Errc::truncated, Errc::io, Errc::interrupted})
    EXPECT_EQ(policy_of(code), ErrorPolicy::retry) << to_string(code);
  for (const Errc code : {Errc::usage, Errc::refused, Errc::malformed, Errc::unsupported,
                          Errc::conflict, Errc::lost, Errc::differs})
    EXPECT_EQ(policy_of(code), ErrorPolicy::fail) << to_string(code);
}

TEST(FeedRetry, DelaysDoubleUpToTenMinutesWithinATenth) {
  const std::array expected = {10, 20, 40, 80, 160, 320, 600, 600, 600};
  for (unsigned retry = 0; retry < expected.size(); ++retry) {
    const milliseconds middle = seconds(expected[retry]);
    EXPECT_EQ(retry_delay(retry, 0), middle);
    EXPECT_EQ(retry_delay(retry, -1), middle * 9 / 10);
    EXPECT_EQ(retry_delay(retry, 1), middle * 11 / 10);
    EXPECT_EQ(retry_delay(retry, 5), middle * 11 / 10);
  }
  EXPECT_EQ(retry_delay(4'000'000'000U, 0), minutes(10));
}

TEST(FeedLife, AnErrorThatMayPassIsTriedAgain) {
  FeedLife life;
  const FeedTime now{};
  life.ended(passing(), now, 0);
  EXPECT_EQ(life.state(), FeedState::warning);
  EXPECT_EQ(life.retries(), 1U);
  EXPECT_EQ(life.due(), now + seconds(10));
  life.started();
  EXPECT_FALSE(life.due().has_value());
  EXPECT_EQ(life.state(), FeedState::warning);
  life.ended(passing(), now + seconds(10), 0);
  EXPECT_EQ(life.due(), now + seconds(30));
}

TEST(FeedLife, AnErrorThatDoesNotPassFails) {
  FeedLife life;
  life.ended(Error{Errc::conflict, "a row is missing", 0}, FeedTime{}, 0);
  EXPECT_EQ(life.state(), FeedState::failed);
  EXPECT_FALSE(life.due().has_value());
  EXPECT_EQ(life.error()->what, "a row is missing");
}

TEST(FeedLife, OnlyNewProgressEndsASeriesOfErrors) {
  FeedLife life;
  EXPECT_TRUE(life.progressed(at(7)));
  life.ended(passing(), FeedTime{}, 0);
  EXPECT_FALSE(life.progressed(at(7)));  // where it was before
  EXPECT_FALSE(life.progressed(at(6)));
  EXPECT_EQ(life.state(), FeedState::warning);
  EXPECT_TRUE(life.progressed(at(8)));
  EXPECT_EQ(life.state(), FeedState::normal);
  EXPECT_EQ(life.retries(), 0U);
  EXPECT_FALSE(life.error().has_value());
}

TEST(FeedLife, RowsOfASnapshotAreProgress) {
  FeedLife life;
  life.ended(passing(), FeedTime{}, 0);
  feed::FeedProgress progress;
  progress.rows_copied = 1;
  EXPECT_TRUE(life.progressed(progress));
  EXPECT_EQ(life.state(), FeedState::normal);
}

TEST(FeedLife, HalfAnHourOfErrorsFails) {
  FeedLife life;
  const FeedTime start{};
  life.ended(passing(), start, 0);
  life.ended(passing(), start + minutes(30) - milliseconds(1), 0);
  EXPECT_EQ(life.state(), FeedState::warning);
  life.ended(passing(), start + minutes(30), 0);
  EXPECT_EQ(life.state(), FeedState::failed);
}

TEST(FeedLife, ProgressBeginsTheHalfHourAnew) {
  FeedLife life;
  const FeedTime start{};
  life.ended(passing(), start, 0);
  life.progressed(at(1));
  life.ended(passing(), start + minutes(31), 0);
  EXPECT_EQ(life.state(), FeedState::warning);
  EXPECT_EQ(life.due(), start + minutes(31) + seconds(10));
}

TEST(FeedLife, AStoredFeedKnowsHowFarItWas) {
  FeedLife life(FeedLife::Past{FeedState::warning, passing(), 3, 100, 0});
  EXPECT_FALSE(life.progressed(at(100)));
  EXPECT_EQ(life.state(), FeedState::warning);
  life.ended(passing(), FeedTime{}, 0);
  EXPECT_EQ(life.due(), FeedTime{} + seconds(80));
}

TEST(FeedLife, AResumeForgetsTheErrorsBefore) {
  FeedLife life;
  life.ended(Error{Errc::lost, "purged", 0}, FeedTime{}, 0);
  ASSERT_TRUE(life.resume(FeedTime{} + seconds(5)).ok());
  EXPECT_EQ(life.state(), FeedState::normal);
  EXPECT_FALSE(life.error().has_value());
  EXPECT_EQ(life.due(), FeedTime{} + seconds(5));
}

TEST(FeedLife, WhatTheTableRefusesIsAConflict) {
  FeedLife life;
  EXPECT_EQ(life.resume(FeedTime{}).error().code, Errc::conflict);
  ASSERT_TRUE(life.pause().ok());
  EXPECT_EQ(life.pause().error().what, "the feed is stopped");
  life = FeedLife();
  life.ended(Unit{}, FeedTime{}, 0);
  EXPECT_EQ(life.state(), FeedState::finished);
  EXPECT_FALSE(life.resume(FeedTime{}).ok());
}

}  // namespace
}  // namespace wherry::control
