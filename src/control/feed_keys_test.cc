#include "control/feed_keys.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace wherry::control {
namespace {

Json least() {
  return {{"name", "a"},
          {"source", "mysql://reader:secret-1@old:3306/"},
          {"sink", "mysql://writer:secret-2@new:3306/"}};
}

Json least_with(const std::string& key, Json value) {
  Json document = least();
  document[key] = std::move(value);
  return document;
}

std::string why_not(const Json& document) {
  const Result<FeedSpec> spec = feed_from_json(document);
  return spec.ok() ? "" : spec.error().what;
}

// Every key with a value that is not its default.
Json everything() {
  return {{"name", "a_b-C9"},
          {"source", "mysql://reader:secret-1@old:3306/?tls=required"},
          {"sink", "mysql://writer:secret-2@new:3306/"},
          {"start", "binlog.000004:157"},
          {"mode", "transaction"},
          {"existing", "use"},
          {"include", {"shop.*", "`a.b`.t?"}},
          {"exclude", {"shop.tmp*"}},
          {"rename", {"shop=store", "shop.`a=b`=store.`c``d`"}},
          {"skip", {"shop.log*=insert,delete"}},
          {"where", {"`x=y`.t=a = 'b=c' AND d > 5"}},
          {"ddl", {"create-view=stop", "drop-table=skip"}},
          {"lanes", "8"},
          {"readers", "2"},
          {"memory", "1GiB"},
          {"syncpoint-interval", "90s"},
          {"stall-after", "1500ms"},
          {"log.memory", "32MiB"},
          {"log.disk-max", "10GiB"},
          {"log.segment", "1500000"},
          {"log.compress", true},
          {"inflight.dispatcher-high", "1KiB"},
          {"inflight.dispatcher-low", "0"},
          {"inflight.feed-high", "1TiB"},
          {"inflight.feed-low", "1GiB"},
          {"redo.storage", "file:///var/lib/redo"},
          {"redo.uploads", "3"},
          {"redo.encoders", "2"},
          {"redo.memory", "64MiB"},
          {"redo.file-size", "8MiB"},
          {"redo.interval", "200ms"},
          {"redo.compress", false},
          {"redo.requests", "600"},
          {"redo.on-remove", "discard"}};
}

TEST(FeedKeys, DefaultsDependOnTheSink) {
  const FeedSpec mysql = feed_from_json(least()).value();
  EXPECT_EQ(begin_of(mysql), FeedBegin::snapshot);
  EXPECT_EQ(mode_of(mysql), FeedMode::transaction);
  const FeedSpec file = feed_from_json(least_with("sink", "file:///tmp/x")).value();
  EXPECT_EQ(begin_of(file), FeedBegin::now);
  EXPECT_EQ(mode_of(file), FeedMode::table);
  EXPECT_EQ(file.stall_after, std::chrono::minutes(1));
}

TEST(FeedKeys, RedoIsForServersAsSinks) {
  Json document = least_with("redo.storage", "file:///var/lib/redo");
  EXPECT_EQ(why_not(document), "");
  document["sink"] = "file:///tmp/x";
  EXPECT_NE(why_not(document).find("redo.storage"), std::string::npos);
  EXPECT_NE(why_not(least_with("redo.storage", "fil:///x")).find("file"), std::string::npos);
}

TEST(FeedKeys, RequestsOfRedoAllowForItsInterval) {
  const auto asked = [](const char* requests, const char* interval) {
    Json document = least_with("redo.requests", requests);
    document["redo.interval"] = interval;
    return why_not(document);
  };
  EXPECT_EQ(asked("60", "1s"), "");
  EXPECT_EQ(asked("300", "200ms"), "");
  EXPECT_NE(asked("299", "200ms").find("the 300 files that a redo.interval of 200ms"),
            std::string::npos);
  EXPECT_EQ(asked("60", "7d"), "");
  EXPECT_NE(asked("59", "7d").find("60"), std::string::npos);
  EXPECT_NE(asked("1000001", "1s").find("1000000"), std::string::npos);
  EXPECT_EQ(feed_from_json(least()).value().redo.requests, 0U) << "no bound";
}

TEST(FeedKeys, WhatIsWrittenIsReadAgain) {
  FeedSpec none;
  std::set<std::string> names;
  for (const FeedKey& key : feed_key_table(none)) names.insert(std::string(key.option.name));
  const Json all = everything();
  std::set<std::string> given;
  for (const auto& [name, value] : all.items()) given.insert(name);
  ASSERT_EQ(given, names);

  const Result<FeedSpec> spec = feed_from_json(all);
  ASSERT_TRUE(spec.ok()) << spec.error().what;
  const Json written = feed_json(spec.value(), Secrets::kept);
  for (const auto& [name, value] : all.items()) EXPECT_EQ(written[name], value) << name;
  const Result<FeedSpec> again = feed_from_json(written);
  ASSERT_TRUE(again.ok()) << again.error().what;
  EXPECT_EQ(feed_json(again.value(), Secrets::kept), written);
}

TEST(FeedKeys, ValuesArriveInTheSpec) {
  const FeedSpec spec = feed_from_json(everything()).value();
  EXPECT_EQ(begin_of(spec), FeedBegin::position);
  EXPECT_EQ(spec.start.position.file, (FilePosition{"binlog.000004", 157}));
  ASSERT_EQ(spec.rename.size(), 2U);
  EXPECT_EQ(spec.rename[1].from_table, "a=b");
  EXPECT_EQ(spec.rename[1].to_table, "c`d");
  ASSERT_EQ(spec.skip.size(), 1U);
  EXPECT_TRUE(spec.skip[0].inserts && !spec.skip[0].updates && spec.skip[0].deletes);
  ASSERT_EQ(spec.where.size(), 1U);
  EXPECT_EQ(spec.where[0].pattern, "`x=y`.t");
  EXPECT_EQ(spec.where[0].expression, "a = 'b=c' AND d > 5");
  EXPECT_EQ(spec.ddl.at("drop-table"), DdlPolicy::skip);
  EXPECT_EQ(spec.log.segment, 1'500'000U);
  EXPECT_EQ(spec.inflight.feed_high, 1ULL << 40);
}

TEST(FeedKeys, APositionIsAGtidTextOrAFileAndOffset) {
  const auto start = [](const char* text) { return feed_from_json(least_with("start", text)); };
  const std::string set = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5";
  EXPECT_EQ(start(set.c_str()).value().start.position.gtid, set);
  EXPECT_EQ(start("0-1-33,7-2-9").value().start.position.gtid, "0-1-33,7-2-9");
  EXPECT_EQ(start("now").value().start.begin, FeedBegin::now);
  for (const char* wrong : {"", "later", "binlog.000004", ":4", "0-1"})
    EXPECT_FALSE(start(wrong).ok()) << wrong;
}

TEST(FeedKeys, NestedKeysMeanTheSame) {
  Json document = least();
  document["log"] = {{"memory", "32MiB"}, {"compress", true}};
  const FeedSpec spec = feed_from_json(document).value();
  EXPECT_EQ(spec.log.memory, 32U << 20);
  EXPECT_TRUE(spec.log.compress);
}

TEST(FeedKeys, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(why_not(least_with("lane", 4)), "unknown key lane (did you mean lanes?)");
  EXPECT_EQ(why_not(least_with("log", {{"memori", "1MiB"}})),
            "unknown key log.memori (did you mean log.memory?)");
  EXPECT_NE(why_not(least_with("sink", "kafak://b/t")).find("did you mean kafka?"),
            std::string::npos);
  EXPECT_NE(why_not(least_with("ddl", {"drop-tables=skip"})).find("did you mean drop-table?"),
            std::string::npos);
}

TEST(FeedKeys, WhatIsMissingIsNamed) {
  for (const char* key : {"name", "source", "sink"}) {
    Json document = least();
    document.erase(key);
    EXPECT_EQ(why_not(document), std::string(key) + " is missing");
  }
  EXPECT_FALSE(feed_from_json(Json::array()).ok());
}

TEST(FeedKeys, ValuesOutOfTheirRangeAreRefused) {
  const std::array<std::pair<const char*, Json>, 26> wrong = {{
      {"name", "a b"},
      {"name", std::string(65, 'a')},
      {"name", ""},
      {"source", "http://h/"},
      {"source", 5},
      {"sink", "mysql://h/db"},
      {"sink", Json::array({"file:///a"})},
      {"mode", "row"},
      {"lanes", 0},
      {"lanes", -1},
      {"lanes", 257},
      {"readers", "many"},
      {"memory", "1MiB"},
      {"memory", 1.5},
      {"log.compress", "yes"},
      {"log.segment", "1KiB"},
      {"syncpoint-interval", "10ms"},
      {"syncpoint-interval", "8d"},
      {"stall-after", "0"},
      {"skip", {"shop.t"}},
      {"skip", {"shop.t="}},
      {"skip", {"shop.t=truncate"}},
      {"where", {"shop.t= "}},
      {"ddl", {"create-view=apply"}},
      {"ddl", {"dml=skip"}},
      {"ddl", {"drop-table=skip", "drop-table=stop"}},
  }};
  for (const auto& [key, value] : wrong) {
    const std::string why = why_not(least_with(key, value));
    EXPECT_TRUE(why.starts_with(key)) << key << " " << dump(value) << ": " << why;
  }
}

TEST(FeedKeys, MarksThatContradictEachOtherAreRefused) {
  EXPECT_NE(why_not(least_with("inflight.feed-low", "256MiB")), "");
  EXPECT_EQ(why_not(least_with("inflight.feed-low", "255MiB")), "");
  EXPECT_NE(why_not(least_with("inflight.dispatcher-high", "1MiB")), "");
}

TEST(FeedKeys, PasswordsAreHiddenAndDoNotComeBack) {
  const FeedSpec spec = feed_from_json(everything()).value();
  const Json shown = feed_json(spec, Secrets::hidden);
  EXPECT_EQ(dump(shown).find("secret"), std::string::npos) << dump(shown);
  EXPECT_FALSE(feed_from_json(shown).ok());
  EXPECT_FALSE(changed_feed(spec, {{"source", shown["source"]}}).ok());
  EXPECT_FALSE(changed_feed(spec, {{"sink", shown["sink"]}}).ok());
}

TEST(FeedKeys, TheServerReplacesNoReferences) {
  EXPECT_NE(why_not(least_with("source", "mysql://u:${HOME}@h/")).find("wherry feed"),
            std::string::npos);
}

TEST(FeedKeys, NoErrorHoldsAPassword) {
  for (const char* uri : {"mysql://u:secret-1@h:x/", "mysql://u:secret-1@h/db",
                          "mysql://u:secret-1@h/?tsl=x", "ftp://u:secret-1@h/"}) {
    EXPECT_EQ(why_not(least_with("source", uri)).find("secret"), std::string::npos);
    EXPECT_EQ(why_not(least_with("sink", uri)).find("secret"), std::string::npos);
  }
}

TEST(FeedKeys, AChangeTellsWhichKeysAreOthers) {
  const FeedSpec spec = feed_from_json(everything()).value();
  const Json patch = {{"lanes", 8}, {"readers", 3}, {"mode", nullptr}, {"include", {"x.*"}}};
  const FeedChange change = changed_feed(spec, patch).value();
  EXPECT_EQ(change.changed, (std::vector<std::string>{"mode", "include", "readers"}));
  EXPECT_EQ(change.spec.readers, 3U);
  EXPECT_FALSE(change.spec.mode.has_value());
  EXPECT_EQ(change.spec.include, std::vector<std::string>{"x.*"});
  EXPECT_EQ(change.spec.source_uri, spec.source_uri);
  EXPECT_FALSE(changed_feed(spec, {{"name", "b"}}).ok());
  EXPECT_FALSE(changed_feed(spec, {{"sink", nullptr}}).ok());
  EXPECT_FALSE(changed_feed(spec, {{"lane", 1}}).ok());
}

TEST(FeedKeys, OnlySomeKeysChangeWhileItRuns) {
  const std::vector<std::string> changed = {"stall-after", "lanes"};
  EXPECT_EQ(keys_that_need_a_stop(changed), std::vector<std::string>{"lanes"});
}

TEST(FeedKeys, ReferencesAreReplacedWhereTheCommandRuns) {
  FeedSpec spec;
  const std::vector<Setting> settings = {
      {"source", {"mysql://u:${file:src/control/version.h}@h/"}, ""},
      {"include", {"a.*"}, ""},
      {"json", {"true"}, ""}};
  const Json made = settings_json(feed_options(spec), settings).value();
  EXPECT_TRUE(made["source"].get<std::string>().starts_with("mysql://u:%2F%2F"));
  EXPECT_EQ(made["include"], Json::array({"a.*"}));
  EXPECT_FALSE(made.contains("json"));
}

// docs/feeds-config.md has exactly the rows of the table.
TEST(FeedKeys, ThePageShowsEveryKey) {
  std::ifstream page("docs/feeds-config.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  FeedSpec spec;
  std::vector<std::string> expected;
  for (const FeedKey& key : feed_key_table(spec)) expected.push_back(page_row(key));
  EXPECT_EQ(rows, expected);
}

TEST(FeedKeys, ThePageTellsTheTruthAboutDefaults) {
  FeedSpec spec;
  for (const FeedKey& key : feed_key_table(spec)) EXPECT_TRUE(key.get().empty()) << key.option.name;
  // A default that is written out is the value that changes nothing.
  for (const FeedKey& key : feed_key_table(spec)) {
    const std::size_t end = key.usual.find('`', 1);
    if (!key.usual.starts_with('`') || end + 1 != key.usual.size()) continue;
    ASSERT_TRUE(key.option.set(std::string(key.usual.substr(1, end - 1))).ok()) << key.option.name;
    EXPECT_TRUE(key.get().empty()) << key.option.name;
  }
}

}  // namespace
}  // namespace wherry::control
