#include <gtest/gtest.h>

#include "sql/collations.h"
#include "sql/create_table.h"

namespace wherry::sql {
namespace {

constexpr std::string_view kUtf8 =
    "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci";

Result<CreateTable> translated(std::string_view items, std::string_view options, Dialect from,
                               const CollationMap& map = {}) {
  Result<CreateTable> parsed =
      parse_create_table("CREATE TABLE `t` (" + std::string(items) + ") " + std::string(options));
  if (!parsed.ok()) return parsed;
  const Status status = translate(parsed.value(), from,
                                  from == Dialect::mysql ? Dialect::mariadb : Dialect::mysql, map);
  if (!status.ok()) return status.error();
  return parsed;
}

// The one item of a table, in the other dialect; or the refusal.
std::string item(std::string_view text, Dialect from) {
  const bool alone = text.front() == '`';
  const std::string items =
      alone ? std::string(text) : "`a` int, `b` varchar(9), " + std::string(text);
  const Result<CreateTable> table = translated(items, kUtf8, from);
  if (!table.ok()) return "refused: " + table.error().what;
  if (alone) return table.value().columns.at(0);
  if (!table.value().keys.empty()) return table.value().keys.at(0);
  return table.value().checks.empty() ? "gone" : table.value().checks.at(0);
}
std::string to_mariadb(std::string_view text) { return item(text, Dialect::mysql); }
std::string to_mysql(std::string_view text) { return item(text, Dialect::mariadb); }

std::string tail(std::string_view options, Dialect from) {
  const Result<CreateTable> table = translated("`a` int", options, from);
  return table.ok() ? table.value().tail.substr(2) : "refused: " + table.error().what;
}

bool refused(const std::string& text) { return text.rfind("refused: ", 0) == 0; }

TEST(Translate, SameDialectIsUnchanged) {
  Result<CreateTable> table =
      parse_create_table("CREATE TABLE `t` (`a` vector(3)) DEFAULT CHARSET=utf8mb4");
  const std::string before = to_text(table.value());
  EXPECT_TRUE(translate(table.value(), Dialect::mysql, Dialect::mysql).ok());
  EXPECT_EQ(to_text(table.value()), before);
}

TEST(TranslateToMariadb, Columns) {
  EXPECT_EQ(to_mariadb("`a` int DEFAULT '5' /*!80023 INVISIBLE */"),
            "`a` int DEFAULT '5' INVISIBLE");
  EXPECT_EQ(
      to_mariadb("`a` int GENERATED ALWAYS AS ((`y` * 2)) STORED NOT NULL /*!80023 INVISIBLE */"),
      "`a` int GENERATED ALWAYS AS ((`y` * 2)) STORED INVISIBLE");
  EXPECT_EQ(to_mariadb("`a` geometry NOT NULL /*!80003 SRID 4326 */"), "`a` geometry NOT NULL");
  EXPECT_EQ(
      to_mariadb("`a` int /*!50606 STORAGE DISK */ /*!50606 COLUMN_FORMAT FIXED */ DEFAULT NULL"),
      "`a` int DEFAULT NULL");
  EXPECT_EQ(to_mariadb("`a` json DEFAULT (json_object())"), "`a` json DEFAULT (json_object())");
  EXPECT_EQ(to_mariadb("`a` varchar(9) DEFAULT '/*!80023 INVISIBLE */'"),
            "`a` varchar(9) DEFAULT '/*!80023 INVISIBLE */'");
  EXPECT_EQ(to_mariadb("`a` bigint NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */"),
            "`a` bigint NOT NULL AUTO_INCREMENT INVISIBLE");
  EXPECT_TRUE(refused(to_mariadb("`a` int NOT NULL /*!80023 INVISIBLE */")));
  EXPECT_TRUE(refused(to_mariadb("`a` vector(3)")));
}

TEST(TranslateToMariadb, KeysAndChecks) {
  EXPECT_EQ(to_mariadb("KEY `k` (`a`) /*!80000 INVISIBLE */"), "KEY `k` (`a`) IGNORED");
  EXPECT_EQ(to_mariadb("KEY `k` (`a`,`b`(3) DESC)"), "KEY `k` (`a`,`b`(3) DESC)");
  EXPECT_TRUE(refused(to_mariadb("KEY `k` ((lower(`b`)),`a`)")));
  EXPECT_TRUE(refused(to_mariadb("KEY `k` (`a`,(lower(`b`)))")));
  EXPECT_TRUE(refused(to_mariadb("FULLTEXT KEY `k` (`b`) /*!50100 WITH PARSER `ngram` */")));
  EXPECT_EQ(to_mariadb("CONSTRAINT `c` CHECK ((`a` > 1))"), "CONSTRAINT `c` CHECK ((`a` > 1))");
  EXPECT_EQ(to_mariadb("CONSTRAINT `c` CHECK ((`a` > 1)) /*!80016 NOT ENFORCED */"), "gone");
}

TEST(TranslateToMariadb, Options) {
  EXPECT_EQ(tail("/*!50100 TABLESPACE `ts` */ ENGINE=InnoDB COMPRESSION='zlib' ENCRYPTION='Y' "
                 "COMMENT='ENCRYPTION=1'",
                 Dialect::mysql),
            "ENGINE=InnoDB COMMENT='ENCRYPTION=1'");
  EXPECT_EQ(tail("ENGINE=InnoDB\n/*!50100 PARTITION BY KEY (a)\nPARTITIONS 2 */", Dialect::mysql),
            "ENGINE=InnoDB\n/*!50100 PARTITION BY KEY (a)\nPARTITIONS 2 */");
}

TEST(TranslateToMysql, Columns) {
  EXPECT_EQ(to_mysql("`a` int(11) INVISIBLE DEFAULT 5"), "`a` int(11) INVISIBLE DEFAULT 5");
  EXPECT_EQ(to_mysql("`a` varchar(100) /*M!100301 COMPRESSED*/ DEFAULT NULL"),
            "`a` varchar(100) DEFAULT NULL");
  EXPECT_EQ(to_mysql("`a` text DEFAULT 'it''s'"), "`a` text DEFAULT ('it''s')");
  EXPECT_EQ(to_mysql("`a` text DEFAULT NULL"), "`a` text DEFAULT NULL");
  EXPECT_EQ(to_mysql("`a` varchar(40) DEFAULT concat('a',')',';') COMMENT 'x'"),
            "`a` varchar(40) DEFAULT (concat('a',')',';')) COMMENT 'x'");
  EXPECT_EQ(to_mysql("`a` date DEFAULT (curdate() + interval 1 day)"),
            "`a` date DEFAULT (curdate() + interval 1 day)");
  EXPECT_EQ(to_mysql("`a` char(36) DEFAULT uuid()"), "`a` char(36) DEFAULT (uuid())");
  EXPECT_EQ(
      to_mysql("`a` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp()"),
      "`a` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp()");
  EXPECT_EQ(to_mysql("`a` int(11) DEFAULT -4"), "`a` int(11) DEFAULT -4");
  EXPECT_EQ(to_mysql("`a` bit(3) DEFAULT b'101'"), "`a` bit(3) DEFAULT b'101'");
  EXPECT_EQ(to_mysql("`a` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT '{}' CHECK "
                     "(json_valid(`a`))"),
            "`a` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT ('{}') CHECK "
            "(json_valid(`a`))");
  for (const char* text :
       {"`a` uuid DEFAULT NULL", "`a` inet4", "`a` inet6",
        "`a` timestamp(6) GENERATED ALWAYS AS ROW START", "`a` int WITHOUT SYSTEM VERSIONING",
        "`a` bigint DEFAULT nextval(`d`.`s`)"}) {
    EXPECT_TRUE(refused(to_mysql(text))) << text;
  }
}

TEST(TranslateToMysql, KeysChecksOptions) {
  EXPECT_EQ(to_mysql("KEY `k` (`a`) IGNORED"), "KEY `k` (`a`) INVISIBLE");
  EXPECT_EQ(to_mysql("KEY `k` (`ignored`) COMMENT 'IGNORED'"),
            "KEY `k` (`ignored`) COMMENT 'IGNORED'");
  EXPECT_TRUE(refused(to_mysql("UNIQUE KEY `k` (`a`,`ap` WITHOUT OVERLAPS)")));
  EXPECT_TRUE(refused(to_mysql("UNIQUE KEY `k` (`b`) USING HASH")));
  EXPECT_TRUE(refused(to_mysql("PERIOD FOR `ap` (`a`, `b`)")));
  EXPECT_EQ(tail("ENGINE=Aria DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci PAGE_CHECKSUM=1 "
                 "TRANSACTIONAL=1 ROW_FORMAT=PAGE",
                 Dialect::mariadb),
            "ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci");
  EXPECT_EQ(
      tail("ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='x' `page_compressed`='1'", Dialect::mariadb),
      "ENGINE=InnoDB ROW_FORMAT=DYNAMIC COMMENT='x'");
  EXPECT_TRUE(refused(tail("ENGINE=InnoDB WITH SYSTEM VERSIONING", Dialect::mariadb)));
  EXPECT_TRUE(refused(tail("ENGINE=InnoDB SEQUENCE=1", Dialect::mariadb)));
}

TEST(TranslateCollations, ColumnsWithoutATwinAreNamed) {
  const Result<CreateTable> refusal = translated(
      "`a` varchar(9) COLLATE utf8mb4_0900_ai_ci, `b` int, `c d` text CHARACTER SET utf8mb4 "
      "COLLATE utf8mb4_da_0900_as_cs",
      kUtf8, Dialect::mysql);
  ASSERT_FALSE(refusal.ok());
  EXPECT_EQ(refusal.error().code, Errc::unsupported);
  EXPECT_NE(refusal.error().what.find("column `a`"), std::string::npos);
  EXPECT_NE(refusal.error().what.find("column `c d`"), std::string::npos);
  EXPECT_EQ(refusal.error().what.find("column `b`"), std::string::npos);
  const Result<CreateTable> other =
      translated("`a` varchar(9) COLLATE utf8mb4_uca1400_ai_ci", kUtf8, Dialect::mariadb);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().what.find("utf8mb4_uca1400_ai_ci"), std::string::npos);
}

TEST(TranslateCollations, TheTablesOwnMattersToTextColumns) {
  constexpr std::string_view kModern =
      "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";
  EXPECT_EQ(tail(kModern, Dialect::mysql),
            "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_nopad_ci");
  const Result<CreateTable> refusal = translated(
      "`n` int, `a` varchar(9), `b` char(3) CHARACTER SET latin1", kModern, Dialect::mysql);
  ASSERT_FALSE(refusal.ok());
  EXPECT_NE(refusal.error().what.find("column `a`"), std::string::npos);
  EXPECT_EQ(refusal.error().what.find("column `b`"), std::string::npos);
}

TEST(TranslateCollations, TheMapDecides) {
  const CollationMap map = {{"utf8mb4_0900_ai_ci", "utf8mb4_unicode_ci"}};
  const Result<CreateTable> table = translated(
      "`a` varchar(9) COLLATE utf8mb4_0900_ai_ci, `b` text",
      "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci", Dialect::mysql, map);
  ASSERT_TRUE(table.ok()) << table.error().what;
  EXPECT_EQ(table.value().columns[0], "`a` varchar(9) COLLATE utf8mb4_unicode_ci");
  EXPECT_EQ(table.value().tail,
            ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci");
}

TEST(TranslateCollations, CharacterSets) {
  EXPECT_TRUE(refused(to_mariadb("`a` varchar(9) CHARACTER SET gb18030")));
  EXPECT_EQ(to_mysql("`a` varchar(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin"),
            "`a` varchar(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin");
  EXPECT_EQ(to_mariadb("`a` varchar(9) CHARACTER SET utf8mb4"),
            "`a` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
}

TEST(Collations, Twins) {
  const auto to_maria = [](std::string_view name) {
    return collation_twin(name, Dialect::mysql, Dialect::mariadb).value_or("none");
  };
  const auto to_my = [](std::string_view name) {
    return collation_twin(name, Dialect::mariadb, Dialect::mysql).value_or("none");
  };
  EXPECT_EQ(to_maria("latin1_swedish_ci"), "latin1_swedish_ci");
  EXPECT_EQ(to_maria("utf8mb4_0900_bin"), "utf8mb4_nopad_bin");
  EXPECT_EQ(to_maria("utf8mb4_croatian_ci"), "utf8mb4_croatian_mysql561_ci");
  EXPECT_EQ(to_maria("utf8_general_ci"), "utf8mb3_general_ci");
  EXPECT_EQ(to_maria("utf8mb4_ja_0900_as_cs_ks"), "none");
  EXPECT_EQ(to_maria("gb18030_chinese_ci"), "none");
  EXPECT_EQ(to_my("utf8mb4_nopad_bin"), "utf8mb4_0900_bin");
  EXPECT_EQ(to_my("utf8mb3_croatian_mysql561_ci"), "utf8mb3_croatian_ci");
  EXPECT_EQ(to_my("utf8mb4_croatian_ci"), "none");
  EXPECT_EQ(to_my("utf8mb4_unicode_nopad_ci"), "none");
  EXPECT_EQ(to_my("latin1_nopad_bin"), "none");
  EXPECT_EQ(to_my("utf8mb4_thai_520_w2"), "none");
  EXPECT_EQ(default_collation("latin1"), "latin1_swedish_ci");
  EXPECT_EQ(default_collation("utf8"), "utf8mb3_general_ci");
  EXPECT_EQ(collation_proposal("utf8mb4_0900_ai_ci", Dialect::mariadb),
            "utf8mb4_unicode_520_nopad_ci");
  EXPECT_EQ(collation_proposal("utf8mb4_uca1400_ai_ci", Dialect::mysql), "utf8mb4_unicode_520_ci");
}

}  // namespace
}  // namespace wherry::sql
