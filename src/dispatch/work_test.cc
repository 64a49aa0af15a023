#include "dispatch/work.h"

#include <gtest/gtest.h>

namespace wherry::dispatch {
namespace {

TEST(IdentityOf, IsTheGtidOrElseThePlaceInTheLog) {
  decode::Batch batch;
  batch.file = "log.of.x.000004";
  decode::Group group;
  group.cseq = 9;
  group.end_offset = 1574;
  EXPECT_EQ(identity_of(batch, group), "000004:1574");
  group.gtid = {0, 7, 2, 33};
  EXPECT_EQ(identity_of(batch, group), "7-2-33");
  batch.gtid_sources = {"u1", "u2:tag"};
  group.gtid = {1, 0, 0, 5};
  EXPECT_EQ(identity_of(batch, group), "u2:tag:5");
}

}  // namespace
}  // namespace wherry::dispatch
