// Statements on several sessions at once: whatever fails first is the answer, and nothing hangs.

#include "copy/side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>

namespace wherry::copy {
namespace {

const std::vector<NamedStatement> kTwo = {{"create a", "A"}, {"create b", "B"}};

TEST(SideBySideTest, SessionThatDoesNotOpenIsTheAnswer) {
  const Status done = run_side_by_side(kTwo, [](const SessionCall&) -> Status {
    return Error{Errc::network, "refused", 0};
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().what, "refused");
}

TEST(SideBySideTest, NoMoreSessionsThanStatements) {
  std::atomic<int> sessions{0};
  ASSERT_TRUE(run_side_by_side(kTwo, [&](const SessionCall&) -> Status {
                ++sessions;
                return Unit{};
              }).ok());
  EXPECT_EQ(sessions, 2);
}

TEST(SideBySideTest, NothingToDoOpensNothing) {
  ASSERT_TRUE(run_side_by_side({}, [](const SessionCall&) -> Status {
                return Error{Errc::network, "refused", 0};
              }).ok());
}

}  // namespace
}  // namespace wherry::copy
