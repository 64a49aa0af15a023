#include "control/feed_fleet.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "control/fleet_for_tests.h"

namespace wherry::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Error passing() { return {Errc::network, "the line is cut", 0}; }

class Fleet : public ::testing::Test, protected FleetForTests {};

TEST_F(Fleet, AFeedRunsAsSoonAsItIsMade) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  EXPECT_EQ(fleet->view("a")->note.state, FeedState::normal);
  script("a")->state.read([](const FeedScript::State& s) {
    EXPECT_EQ(s.spec.source_uri, "mysql://u:secret-1@h/");
    EXPECT_FALSE(s.start.checkpoint.has_value());
  });
  EXPECT_EQ(fleet->create(keys("a")).error().code, Errc::conflict);
  EXPECT_EQ(fleet->create({{"name", "b"}}).error().code, Errc::usage);
  EXPECT_EQ(fleet->views().size(), 1U);
}

TEST_F(Fleet, APauseStopsTheRunAndAResumeMakesANewOne) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->progress(5);
  ASSERT_TRUE(fleet->pause("a").ok());
  EXPECT_EQ(fleet->view("a")->note.wanted, Wanted::paused);
  ASSERT_TRUE(reaches("a", FeedState::stopped));
  EXPECT_EQ(fleet->pause("a").error().code, Errc::conflict);
  pass(minutes(60));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.made; }), 1U);
  ASSERT_TRUE(fleet->resume("a").ok());
  ASSERT_TRUE(script("a")->wait_runs(2));
  EXPECT_EQ(fleet->view("a")->note.state, FeedState::normal);
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.start.checkpoint->cseq; }), 5U);
  EXPECT_EQ(fleet->resume("a").error().code, Errc::conflict);
}

TEST_F(Fleet, AResumeDuringTheStopGoesOnAfterIt) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->state.with([](auto& s) { s.heeds_stop = false; });
  ASSERT_TRUE(fleet->pause("a").ok());
  ASSERT_TRUE(fleet->resume("a").ok());
  EXPECT_EQ(fleet->view("a")->note.state, FeedState::normal);
  script("a")->state.with([](auto& s) { s.heeds_stop = true; });
  ASSERT_TRUE(script("a")->wait_runs(2));
  EXPECT_EQ(fleet->view("a")->note.state, FeedState::normal);
}

TEST_F(Fleet, AnErrorThatMayPassIsTriedAgainWhenItsTimeHasCome) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->end(passing());
  ASSERT_TRUE(reaches("a", FeedState::warning));
  EXPECT_EQ(fleet->view("a")->note.error->what, "the line is cut");
  EXPECT_TRUE(fleet->view("a")->retry_at.has_value());
  pass(milliseconds(9'999));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.made; }), 1U);
  pass(milliseconds(1));
  ASSERT_TRUE(script("a")->wait_runs(2));
  EXPECT_EQ(fleet->view("a")->note.state, FeedState::warning);
  script("a")->progress(1);
  ASSERT_TRUE(shows("a", FeedState::normal));
  EXPECT_FALSE(fleet->view("a")->note.error.has_value());
}

TEST_F(Fleet, AFactoryThatFailsIsAnErrorLikeOthers) {
  script("a")->state.with([](auto& s) {
    s.not_made.push_back(passing());
    s.not_made.push_back({Errc::unsupported, "no such sink", 0});
  });
  create("a");
  ASSERT_TRUE(reaches("a", FeedState::warning));
  pass(seconds(10));
  ASSERT_TRUE(reaches("a", FeedState::failed));
  pass(minutes(60));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.made; }), 2U);
  ASSERT_TRUE(fleet->resume("a").ok());
  EXPECT_TRUE(script("a")->wait_runs(3));
}

TEST_F(Fleet, HalfAnHourOfErrorsFails) {
  create("a");
  for (unsigned run = 1; run < 20; ++run) {
    ASSERT_TRUE(reaches([&] { return script("a")->wait_runs(run); }));
    script("a")->end(passing());
    ASSERT_TRUE(reaches([&] {
      const FeedView view = *fleet->view("a");
      return !view.running && (view.retry_at || view.note.state == FeedState::failed);
    }));
    if (fleet->view("a")->note.state == FeedState::failed) {
      EXPECT_EQ(run, 4U);  // the first error, and three times ten minutes after it
      return;
    }
    pass(minutes(10));
  }
  FAIL() << "it is tried for ever";
}

TEST_F(Fleet, AResumeDoesNotWaitForTheNextTry) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->end(passing());
  ASSERT_TRUE(reaches("a", FeedState::warning));
  ASSERT_TRUE(fleet->resume("a").ok());
  EXPECT_TRUE(script("a")->wait_runs(2));
}

TEST_F(Fleet, AFeedThatEndsIsFinished) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->end(Unit{});
  ASSERT_TRUE(reaches("a", FeedState::finished));
  EXPECT_FALSE(fleet->resume("a").ok());
  EXPECT_FALSE(fleet->pause("a").ok());
  close();
  open();
  EXPECT_EQ(fleet->view("a")->note.state, FeedState::finished);
  EXPECT_FALSE(fleet->view("a")->running);
}

TEST_F(Fleet, ARemovedFeedIsGoneWhenItHasEnded) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->state.with([](auto& s) { s.heeds_stop = false; });
  ASSERT_TRUE(fleet->remove("a").ok());
  fleet->tick();
  ASSERT_TRUE(fleet->view("a").has_value());
  EXPECT_EQ(fleet->view("a")->note.wanted, Wanted::removed);
  EXPECT_EQ(fleet->create(keys("a")).error().what, "the feed a is still being removed");
  EXPECT_FALSE(fleet->pause("a").ok());
  EXPECT_FALSE(fleet->resume("a").ok());
  EXPECT_TRUE(removed.read([](const auto& names) { return names.empty(); }));
  script("a")->state.with([](auto& s) { s.heeds_stop = true; });
  ASSERT_TRUE(reaches([&] { return !fleet->view("a"); }));
  EXPECT_EQ(removed.read([](const auto& names) { return names; }), std::vector<std::string>{"a"});
  create("a");
  EXPECT_TRUE(script("a")->wait_runs(2));
}

TEST_F(Fleet, ARemovalGoesOnAfterARestart) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->state.with([](auto& s) { s.heeds_stop = false; });
  ASSERT_TRUE(fleet->remove("a").ok());
  script("a")->state.with([](auto& s) { s.heeds_stop = true; });
  close();
  open();
  EXPECT_TRUE(reaches([&] { return !fleet->view("a"); }));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.made; }), 1U);
}

TEST_F(Fleet, ARemovedFeedStaysUntilWhatItKeptElsewhereIsGone) {
  discards.with([](auto& answers) {
    answers = {Status(Error{Errc::interrupted, "stopped"}), Status(Unit{})};
  });
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  ASSERT_TRUE(fleet->remove("a").ok());
  ASSERT_TRUE(reaches(
      [&] { return discards.read([](const auto& answers) { return answers.size() == 1; }); }));
  fleet->tick();
  EXPECT_EQ(fleet->create(keys("a")).error().what, "the feed a is still being removed");
  close();
  open();
  EXPECT_TRUE(reaches([&] { return !fleet->view("a"); }));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.made; }), 1U);
}

TEST_F(Fleet, ARestartResumesWhatWasNotPaused) {
  for (const char* name : {"a", "b", "c"}) {
    create(name);
    ASSERT_TRUE(script(name)->wait_runs(1));
  }
  script("a")->progress(42);
  ASSERT_TRUE(fleet->pause("b").ok());
  ASSERT_TRUE(reaches("b", FeedState::stopped));
  script("c")->end(Error{Errc::conflict, "a row is missing", 0});
  ASSERT_TRUE(reaches("c", FeedState::failed));
  EXPECT_TRUE(fleet->drain(seconds(10)).empty());
  close();
  open();
  ASSERT_TRUE(script("a")->wait_runs(2));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.start.checkpoint->cseq; }), 42U);
  EXPECT_TRUE(script("c")->wait_runs(2));
  EXPECT_EQ(fleet->view("b")->note.state, FeedState::stopped);
  EXPECT_EQ(script("b")->state.read([](const auto& s) { return s.made; }), 1U);
}

TEST_F(Fleet, ADrainWaitsAndRefusesWhatComesThen) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->state.with([](auto& s) { s.heeds_stop = false; });
  EXPECT_EQ(fleet->drain(milliseconds(1)), std::vector<std::string>{"a"});
  EXPECT_EQ(fleet->create(keys("b")).error().what, "the server is shutting down");
  EXPECT_FALSE(fleet->pause("a").ok());
  script("a")->state.with([](auto& s) { s.heeds_stop = true; });
  EXPECT_TRUE(fleet->drain(seconds(10)).empty());
  EXPECT_EQ(fleet->view("a")->note.wanted, Wanted::running);
}

TEST_F(Fleet, AStoppedFeedTakesAnyChangeARunningOneFew) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  const Status refused = fleet->change("a", {{"lanes", 4}, {"stall-after", "5s"}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_NE(refused.error().what.find("lanes"), std::string::npos);
  EXPECT_EQ(refused.error().what.find("stall-after"), std::string::npos);
  EXPECT_TRUE(fleet->change("a", {{"stall-after", "5s"}}).ok());
  EXPECT_EQ(fleet->change("a", {{"lane", 4}}).error().code, Errc::usage);
  ASSERT_TRUE(fleet->pause("a").ok());
  ASSERT_TRUE(reaches("a", FeedState::stopped));
  ASSERT_TRUE(fleet->change("a", {{"lanes", 4}}).ok());
  close();
  open();
  EXPECT_EQ(fleet->view("a")->spec.lanes, 4U);
  EXPECT_EQ(fleet->view("a")->spec.stall_after, seconds(5));
  ASSERT_TRUE(fleet->resume("a").ok());
  ASSERT_TRUE(script("a")->wait_runs(2));
  EXPECT_EQ(script("a")->state.read([](const auto& s) { return s.spec.lanes; }), 4U);
}

TEST_F(Fleet, AStallNamesItsReasonAndStaysInItsState) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->progress(5, milliseconds(0));
  fleet->tick();
  script("a")->progress(5, seconds(61));
  script("a")->state.with([](auto& s) { s.progress.waiting_for = "t2 waits for the sink (61 s)"; });
  pass(seconds(61));
  const FeedView view = *fleet->view("a");
  ASSERT_TRUE(view.stalled.has_value());
  EXPECT_EQ(view.stalled->reason, "t2 waits for the sink (61 s)");
  EXPECT_EQ(view.note.state, FeedState::normal);
  script("a")->progress(6, seconds(61));
  fleet->tick();
  EXPECT_FALSE(fleet->view("a")->stalled.has_value());
}

TEST_F(Fleet, EveryChangeOfStateIsAnEvent) {
  const auto reader = fleet->events().open();
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  script("a")->end(passing());
  ASSERT_TRUE(reaches("a", FeedState::warning));
  ASSERT_TRUE(fleet->pause("a").ok());
  ASSERT_TRUE(reaches("a", FeedState::stopped));
  ASSERT_TRUE(fleet->remove("a").ok());
  ASSERT_TRUE(reaches([&] { return !fleet->view("a"); }));
  const std::string text = reader->take();
  std::string kinds;
  for (std::size_t at = 0; (at = text.find("\"state\":\"", at)) != text.npos; ++at) {
    if (text.rfind("event: state\n", at) != text.npos &&
        text.rfind("event: ", at) == text.rfind("event: state\n", at))
      kinds += text.substr(at + 9, text.find('"', at + 9) - at - 9) + " ";
  }
  EXPECT_EQ(kinds, "warning stopped ");
  EXPECT_NE(text.find("\"message\":\"the line is cut\""), std::string::npos);
  EXPECT_NE(text.find("event: removed\ndata: {\"feed\":\"a\"}"), std::string::npos);
}

TEST_F(Fleet, ASyncpointIsTheRunningFeedsBusiness) {
  create("a");
  ASSERT_TRUE(script("a")->wait_runs(1));
  ASSERT_TRUE(reaches([&] { return fleet->request_syncpoint("a").ok(); }));
  EXPECT_GE(script("a")->state.read([](const auto& s) { return s.syncpoints; }), 1U);
  ASSERT_TRUE(fleet->pause("a").ok());
  ASSERT_TRUE(reaches("a", FeedState::stopped));
  EXPECT_EQ(fleet->request_syncpoint("a").error().code, Errc::conflict);
}

TEST_F(Fleet, AFolderBelongsToOneFleet) {
  const Result<std::unique_ptr<FeedFleet>> second =
      FeedFleet::open({folder.file("data"), {}, {}, {}});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Errc::refused);
}

}  // namespace
}  // namespace wherry::control
