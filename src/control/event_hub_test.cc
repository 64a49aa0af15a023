#include "control/event_hub.h"

#include <gtest/gtest.h>

#include <string>

namespace wherry::control {
namespace {

TEST(EventHub, EveryReaderGetsEveryEventInOrder) {
  EventHub hub;
  const auto one = hub.open();
  const auto two = hub.open();
  hub.publish("state", "{\"feed\":\"a\"}");
  hub.publish("status", "{}");
  const std::string both = "event: state\ndata: {\"feed\":\"a\"}\n\nevent: status\ndata: {}\n\n";
  EXPECT_EQ(one->take(), both);
  EXPECT_EQ(one->take(), "");
  EXPECT_EQ(two->take(), both);
}

TEST(EventHub, ASlowReaderLosesTheOldestAndIsTold) {
  EventHub hub;
  const auto slow = hub.open();
  const std::string half(EventHub::kBytesMax / 2, 'x');
  hub.publish("first", half);
  hub.publish("second", half);
  hub.publish("third", half);
  const std::string text = slow->take();
  EXPECT_TRUE(text.starts_with("event: lost\ndata: {\"events\":2}\n\n"));
  EXPECT_EQ(text.find("event: first"), std::string::npos);
  EXPECT_EQ(text.find("event: second"), std::string::npos);
  EXPECT_NE(text.find("event: third"), std::string::npos);
  hub.publish("fourth", "{}");
  EXPECT_EQ(slow->take(), "event: fourth\ndata: {}\n\n");
}

TEST(EventHub, AnEventLargerThanTheBoundComesAlone) {
  EventHub hub;
  const auto reader = hub.open();
  hub.publish("small", "{}");
  hub.publish("large", std::string(2 * EventHub::kBytesMax, 'x'));
  EXPECT_NE(reader->take().find("event: large"), std::string::npos);
}

TEST(EventHub, KnowsWhetherAnybodyListens) {
  EventHub hub;
  EXPECT_FALSE(hub.has_readers());
  {
    const auto reader = hub.open();
    EXPECT_TRUE(hub.has_readers());
  }
  EXPECT_FALSE(hub.has_readers());
  hub.publish("state", "{}");
}

}  // namespace
}  // namespace wherry::control
