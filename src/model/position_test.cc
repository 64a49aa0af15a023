#include "model/position.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace wherry {
namespace {

const std::string kA = "3e11fa47-0000-0000-0000-000000000001";
const std::string kB = "7a6b5c4d-0000-0000-0000-00000000000e";

MysqlGtidSet set_of(const std::string& text) {
  const Result<MysqlGtidSet> parsed = MysqlGtidSet::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().what);
  return parsed.ok() ? parsed.value() : MysqlGtidSet();
}

MariadbGtidPosition domains_of(const std::string& text) {
  const Result<MariadbGtidPosition> parsed = MariadbGtidPosition::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().what);
  return parsed.ok() ? parsed.value() : MariadbGtidPosition();
}

TEST(FilePosition, OrdersByNumberThenOffset) {
  EXPECT_TRUE(compare({"binlog.000009", 900}, {"binlog.000010", 4}) < 0);
  EXPECT_TRUE(compare({"binlog.999999", 4}, {"binlog.1000000", 4}) < 0);
  EXPECT_TRUE(compare({"binlog.000001", 4}, {"binlog.000001", 5000000000}) < 0);
  EXPECT_TRUE(compare({"a.000001", 4}, {"a.000001", 4}) == 0);
  EXPECT_TRUE(compare({"my.host.name.000012", 4}, {"my.host.name.000003", 4}) > 0);
  EXPECT_TRUE(compare({"z.000001", 4}, {"a.000002", 4}) < 0);
  EXPECT_TRUE(compare({"", 0}, {"a.000001", 4}) < 0);
  EXPECT_TRUE(compare({"a.99999999999999999999", 4}, {"a.100000000000000000000", 4}) < 0);
}

TEST(FilePosition, ParsesWhatItPrints) {
  const Result<FilePosition> parsed = parse_file_position(" my.host:9.000004:5000000157\n");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().file, "my.host:9.000004");
  EXPECT_EQ(parsed.value().offset, 5000000157u);
  EXPECT_EQ(parsed.value().to_string(), "my.host:9.000004:5000000157");
}

TEST(FilePosition, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "binlog.000001", "binlog.000001:", ":12", "binlog.000001:-1",
                           "binlog.000001:1x", "binlog.000001:99999999999999999999", "a\nb:1"}) {
    EXPECT_FALSE(parse_file_position(text).ok()) << text;
  }
}

TEST(MysqlGtidSet, UnitesRepeatedUuids) {
  EXPECT_EQ(set_of(kB + ":10-20," + kB + ":40-55").to_string(), kB + ":10-20:40-55");
  EXPECT_EQ(set_of(kB + ":10-20," + kB + ":21-55").to_string(), kB + ":10-55");
  EXPECT_EQ(set_of(kB + ":5:3:1:4:2").to_string(), kB + ":1-5");
}

TEST(MysqlGtidSet, ReadsTags) {
  const MysqlGtidSet set = set_of(kA + ":1-3:blue:1-2:ops_2:1");
  EXPECT_EQ(set.to_string(), kA + ":1-3:blue:1-2:ops_2:1");
  EXPECT_TRUE(set.contains(kA, 3));
  EXPECT_TRUE(set.contains(kA + ":blue", 2));
  EXPECT_FALSE(set.contains(kA + ":blue", 3));
  EXPECT_TRUE(set.contains(kA + ":ops_2", 1));
  EXPECT_EQ(set_of(kA + ":1-3, " + kA + ":BLUE:1-2,\n" + kA + ":ops_2:1"), set);
}

TEST(MysqlGtidSet, ToleratesBlanksNewlinesAndOtherSpellings) {
  EXPECT_EQ(set_of("").to_string(), "");
  EXPECT_TRUE(set_of(" \n ,\n").empty());
  EXPECT_EQ(set_of(" " + kA + " : 1 - 3 ,\n" + kB + ":7\n").to_string(), kA + ":1-3," + kB + ":7");
  EXPECT_EQ(set_of("3E11FA47-0000-0000-0000-000000000001:1").to_string(), kA + ":1");
  EXPECT_EQ(set_of("3E11FA47000000000000000000000001:1").to_string(), kA + ":1");
}

TEST(MysqlGtidSet, RefusesWhatIsNone) {
  const std::string tag33 = ":" + std::string(33, 'a') + ":1";
  for (const std::string& text :
       {std::string("x"), kA, kA + ":", kA + ":0", kA + ":5-3", kA + ":1-", kA + ":-1",
        kA + ":1-2-3", kA + ":blue", kA + ":blue:red:1", kA + ":1:2x", kA + tag33,
        kA + ":9223372036854775807", kA + ":18446744073709551617", kA.substr(1) + ":1",
        std::string("3e11fa470-000-0000-0000-000000000001:1")}) {
    EXPECT_FALSE(MysqlGtidSet::parse(text).ok()) << text;
  }
  EXPECT_TRUE(MysqlGtidSet::parse(kA + ":9223372036854775806").ok());
}

TEST(MysqlGtidSet, AddsSubtractsAndContains) {
  MysqlGtidSet set = set_of(kA + ":1-10");
  set.subtract(set_of(kA + ":4-6," + kB + ":1"));
  EXPECT_EQ(set.to_string(), kA + ":1-3:7-10");
  EXPECT_FALSE(set.contains(set_of(kA + ":3-4")));
  EXPECT_TRUE(set.contains(set_of(kA + ":8-10")));
  EXPECT_TRUE(set.contains(set_of("")));
  EXPECT_FALSE(set.contains(set_of(kB + ":1")));
  set.add(kA, 5);
  set.add(kA, 4);
  EXPECT_EQ(set.to_string(), kA + ":1-5:7-10");
  set.add(set_of(kA + ":6," + kB + ":9"));
  EXPECT_EQ(set.to_string(), kA + ":1-10," + kB + ":9");
  set.subtract(set);
  EXPECT_TRUE(set.empty());
}

// Against a plain set of numbers, whatever the order and the overlaps.
TEST(MysqlGtidSet, BehavesAsASetOfNumbers) {
  std::mt19937 random(7);
  const auto below = [&](unsigned limit) { return random() % limit; };
  for (int round = 0; round < 200; ++round) {
    MysqlGtidSet set;
    std::set<std::uint64_t> numbers;
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t first = 1 + below(40);
      const std::uint64_t last = first + below(6);
      const MysqlGtidSet range =
          set_of(kA + ":" + std::to_string(first) + "-" + std::to_string(last));
      const bool add = below(3) != 0;
      if (add) set.add(range);
      if (!add) set.subtract(range);
      for (std::uint64_t n = first; n <= last; ++n) {
        if (add) numbers.insert(n);
        if (!add) numbers.erase(n);
      }
    }
    for (std::uint64_t n = 1; n < 50; ++n)
      ASSERT_EQ(set.contains(kA, n), numbers.contains(n)) << set.to_string();
    EXPECT_EQ(set_of(set.to_string()), set);
    for (const auto& [source, list] : set.sources()) {
      for (std::size_t i = 1; i < list.size(); ++i) ASSERT_GT(list[i].first, list[i - 1].last + 1);
    }
  }
}

TEST(MysqlGtidSet, EncodesTheClassicFormWithoutTags) {
  const std::string uuid = std::string("\x3e\x11\xfa\x47", 4) + std::string(11, '\0') + "\x01";
  const std::string expected =
      std::string("\x01\0\0\0\0\0\0\0", 8) + uuid + std::string("\x02\0\0\0\0\0\0\0", 8) +
      std::string("\x01\0\0\0\0\0\0\0", 8) + std::string("\x04\0\0\0\0\0\0\0", 8) +
      std::string("\x07\0\0\0\0\0\0\0", 8) + std::string("\x08\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(set_of(kA + ":1-3:7").encode(), expected);
  EXPECT_EQ(MysqlGtidSet().encode(), std::string(8, '\0'));
}

TEST(MysqlGtidSet, EncodesTheTaggedForm) {
  const std::string uuid = std::string("\x3e\x11\xfa\x47", 4) + std::string(11, '\0') + "\x01";
  const std::string one("\x01\0\0\0\0\0\0\0", 8);
  const std::string expected = std::string("\x01\x02\0\0\0\0\0\x01", 8) + uuid +
                               std::string(1, '\0') + one + one +
                               std::string("\x04\0\0\0\0\0\0\0", 8) + uuid + "\x08" + "blue" + one +
                               one + std::string("\x03\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(set_of(kA + ":1-3:blue:1-2").encode(), expected);
}

// The set at the head of a binlog that MySQL 9.7 wrote after a transaction with a tag.
TEST(MysqlGtidSet, EncodesAsTheServerDoes) {
  const std::string uuid =
      "\xa6\x2e\xb1\xc6\xec\xdc\x11\xf1\xa3\x8e" + std::string("\x02\xfc\x00\x00\x00\x01", 6);
  const std::string one("\x01\0\0\0\0\0\0\0", 8);
  const std::string captured = std::string("\x01\x02\0\0\0\0\0\x01", 8) + uuid +
                               std::string(1, '\0') + one + one +
                               std::string("\x1a\0\0\0\0\0\0\0", 8) + uuid + "\x08" + "blue" + one +
                               one + std::string("\x02\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(set_of("a62eb1c6-ecdc-11f1-a38e-02fc00000001:1-25:blue:1").encode(), captured);
}

TEST(MariadbGtidPosition, ReadsDomains) {
  EXPECT_EQ(domains_of("").to_string(), "");
  EXPECT_EQ(domains_of("0-1-33").to_string(), "0-1-33");
  EXPECT_EQ(domains_of(" 7-2-9 , 0-1-33\n").to_string(), "0-1-33,7-2-9");
  EXPECT_EQ(domains_of("4294967295-1-18446744073709551615").to_string(),
            "4294967295-1-18446744073709551615");
}

TEST(MariadbGtidPosition, RefusesWhatIsNone) {
  for (const char* text : {"x", "0-1", "0-1-2-3", "0-1-", "-1-2-3", "4294967296-1-1", "0-1-2,",
                           ",0-1-2", "0-1-18446744073709551616", "0-1-5,0-2-6"}) {
    EXPECT_FALSE(MariadbGtidPosition::parse(text).ok()) << text;
  }
}

TEST(MariadbGtidPosition, ContainsBySequenceInEachDomain) {
  EXPECT_TRUE(domains_of("0-1-33,7-2-9").contains(domains_of("0-5-33")));
  EXPECT_FALSE(domains_of("0-1-33").contains(domains_of("0-1-34")));
  EXPECT_FALSE(domains_of("0-1-33").contains(domains_of("0-1-3,7-2-1")));
  EXPECT_TRUE(domains_of("0-1-33").contains(domains_of("")));
}

TEST(GtidContains, ReadsBothDialects) {
  EXPECT_TRUE(gtid_contains(Dialect::mysql, kA + ":1-9", kA + ":4").value());
  EXPECT_FALSE(gtid_contains(Dialect::mysql, kA + ":1-9", kA + ":blue:4").value());
  EXPECT_TRUE(gtid_contains(Dialect::mariadb, "0-1-9", "0-2-8").value());
  EXPECT_FALSE(gtid_contains(Dialect::mariadb, "0-1-9", "1-1-1").value());
  EXPECT_FALSE(gtid_contains(Dialect::mariadb, kA + ":1", "").ok());
  EXPECT_FALSE(gtid_contains(Dialect::mysql, "", "0-1-2").ok());
}

}  // namespace
}  // namespace wherry
