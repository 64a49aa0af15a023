// Names and the parts of files, as docs/format/redo.md shows them.

#include "redo/format.h"

#include <gtest/gtest.h>

#include "redo/redo_for_tests.h"

namespace wherry::redo {
namespace {

TEST(RedoNames, AscendAsTheNumbersDo) {
  EXPECT_EQ(file_name("shop", {7, 0xAB}, 12),
            "shop/0000000007-00000000000000ab/00000000000000000012.redo");
  EXPECT_LT(file_name("shop", {7, 0xAB}, 9), file_name("shop", {7, 0xAB}, 10));
  EXPECT_LT(claim_name("shop", 9), claim_name("shop", 10));
}

TEST(RedoNames, AreReadBackForTheirOwnFeedOnly) {
  const std::string name = file_name("shop", {7, 0xAB}, 12);
  const auto id = parse_file_name("shop", name);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->epoch, (EpochId{7, 0xAB}));
  EXPECT_EQ(id->number, 12U);
  for (const char* feed : {"sho", "shopp", "hop", "", "shop-0000000007"})
    EXPECT_FALSE(parse_file_name(feed, name)) << feed;
  EXPECT_FALSE(parse_file_name("shop", name + "x"));
  EXPECT_FALSE(parse_file_name("shop", "x" + name));
  EXPECT_EQ(parse_claim_name("shop", claim_name("shop", 7)), 7U);
  EXPECT_FALSE(parse_claim_name("sho", claim_name("shop", 7)));
  EXPECT_FALSE(parse_claim_name("shop", name));
}

TEST(RedoNames, OfFeedsHoldNothingThatCouldLeaveTheirFolder) {
  EXPECT_TRUE(is_feed_name("row"));
  EXPECT_TRUE(is_feed_name("a-b_C9"));
  for (const char* name : {"", "a/b", "..", "a b", "a.b", "\xC3\xA9"})
    EXPECT_FALSE(is_feed_name(name)) << name;
  EXPECT_FALSE(is_feed_name(std::string(65, 'a')));
}

Claim some_claim() {
  Claim claim = first_claim("shop", 41);
  claim.mapping = R"({"include":["shop.*"]})";
  claim.previous = Claim::Previous{{3, 9}, 17, {1, 2}};
  return claim;
}

TEST(RedoClaim, IsReadBackAsItWasWritten) {
  const Claim claim = some_claim();
  const std::string text = encode(claim);
  const auto read = decode_claim(as_bytes(text), "c");
  ASSERT_TRUE(ok(read));
  EXPECT_EQ(read.value().epoch, claim.epoch);
  EXPECT_EQ(read.value().begin, claim.begin);
  EXPECT_EQ(read.value().mapping, claim.mapping);
  EXPECT_EQ(read.value().previous, claim.previous);
  EXPECT_FALSE(read.value().snapshot);
}

TEST(RedoClaim, SaysHowMuchOfTheSnapshotIsThere) {
  for (const bool complete : {false, true}) {
    Claim claim = some_claim();
    claim.snapshot = SnapshotMark{1234, complete};
    const std::string text = encode(claim);
    const auto read = decode_claim(as_bytes(text), "c");
    ASSERT_TRUE(ok(read));
    EXPECT_EQ(read.value().snapshot, claim.snapshot);
    EXPECT_EQ(read.value().previous, claim.previous);
  }
}

TEST(RedoClaim, EveryFlippedBitAndEveryTruncationIsFound) {
  Claim claim = some_claim();
  claim.snapshot = SnapshotMark{1234, true};
  const std::string text = encode(claim);
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_claim(as_bytes(damaged), "c").ok()) << "bit " << bit;
  }
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(decode_claim(as_bytes(text.substr(0, size)), "c").ok()) << size;
}

TEST(RedoFooter, IsFoundFromTheEndOfTheFile) {
  FileFooter footer;
  footer.end = {43, 0};
  footer.after = place_at(42);
  footer.durable = 40;
  footer.checkpoint = 17;
  footer.chain = {5, 6};
  const std::string file = std::string(1000, 'x') + encode(footer, 1000);
  std::uint64_t offset = 0;
  const auto read = decode_footer(as_bytes(file).last(200), file.size(), "f", offset);
  ASSERT_TRUE(ok(read));
  EXPECT_EQ(offset, 1000U);
  EXPECT_EQ(read.value().after, footer.after);
  EXPECT_EQ(read.value().durable, 40U);
  EXPECT_EQ(read.value().checkpoint, 17U);
  EXPECT_EQ(read.value().chain, footer.chain);
}

}  // namespace
}  // namespace wherry::redo
