#include "sql/create_table.h"

#include <gtest/gtest.h>

#include <random>

namespace wherry::sql {
namespace {

// As MariaDB 10.11 prints it.
constexpr std::string_view kMariadb = R"(CREATE TABLE `t` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s, (a) \\ back\nnew',
  `a,b` varchar(30) NOT NULL DEFAULT 'x,(''y'')',
  `c` text DEFAULT 'blob def',
  `d` datetime(3) NOT NULL DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3),
  `e` enum('a,b','c''d','(') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `g` int(11) GENERATED ALWAYS AS (`fk` + 1) VIRTUAL,
  `fk` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `u,1` (`a,b`(10)),
  KEY `k` (`c`(20)) COMMENT 'key, (com)',
  KEY `fki` (`fk`),
  FULLTEXT KEY `ft` (`a,b`),
  CONSTRAINT `fk c` FOREIGN KEY (`fk`) REFERENCES `p` (`id`) ON DELETE CASCADE,
  CONSTRAINT `ch` CHECK (`fk` > 3 and `e` <> 'x)')
) ENGINE=InnoDB AUTO_INCREMENT=77 DEFAULT CHARSET=utf8mb4 COMMENT='t, ''x'' ) (')";

constexpr std::string_view kPartitioned = R"(CREATE TABLE `pc` (
  `id` int NOT NULL,
  `d` int NOT NULL,
  PRIMARY KEY (`id`,`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50500 PARTITION BY RANGE  COLUMNS(d)
SUBPARTITION BY HASH (`id`)
SUBPARTITIONS 2
(PARTITION p0 VALUES LESS THAN (3) COMMENT = 'x,)' ENGINE = InnoDB,
 PARTITION pm VALUES LESS THAN (MAXVALUE) ENGINE = InnoDB) */)";

CreateTable table_of(std::string_view text) {
  Result<CreateTable> parsed = parse_create_table(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().what);
  return parsed.ok() ? std::move(parsed).value() : CreateTable();
}

// A table of the given items.
CreateTable made_of(std::string_view items, std::string_view options = "ENGINE=InnoDB") {
  return table_of("CREATE TABLE `t` (\n" + std::string(items) + "\n) " + std::string(options));
}

TEST(CreateTable, CutsItemsByKind) {
  const CreateTable table = table_of(kMariadb);
  EXPECT_EQ(table.head, "CREATE TABLE `t` (");
  ASSERT_EQ(table.columns.size(), 7u);
  EXPECT_EQ(table.columns[1], "`a,b` varchar(30) NOT NULL DEFAULT 'x,(''y'')'");
  EXPECT_EQ(table.keys.size(), 5u);
  EXPECT_EQ(table.foreign_keys.size(), 1u);
  ASSERT_EQ(table.checks.size(), 1u);
  EXPECT_EQ(table.checks[0], "CONSTRAINT `ch` CHECK (`fk` > 3 and `e` <> 'x)')");
  EXPECT_EQ(table.tail.substr(0, 15), ") ENGINE=InnoDB");
}

TEST(CreateTable, PrintsWhatWasRead) {
  EXPECT_EQ(to_text(table_of(kMariadb)), kMariadb);
  EXPECT_EQ(to_text(table_of(kPartitioned)), kPartitioned);
}

TEST(CreateTable, NamesThatLookLikeKeywords) {
  const CreateTable table = made_of(
      "`key` int, `check` int, `constraint` int, PRIMARY KEY (`key`), CHECK (`check` > 1),"
      "CONSTRAINT FOREIGN KEY (`check`) REFERENCES p (a), CONSTRAINT `foreign` UNIQUE KEY `x` "
      "(`key`)");
  EXPECT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.keys.size(), 2u);
  EXPECT_EQ(table.foreign_keys.size(), 1u);
  EXPECT_EQ(table.checks.size(), 1u);
}

TEST(CreateTable, RefusesWhatIsNone) {
  for (const char* text :
       {"", "CREATE", "CREATE TABLE t", "CREATE TABLE t (", "CREATE TABLE t ()",
        "CREATE TABLE t (a int,,b int)", "CREATE TABLE t (a int", "CREATE VIEW v AS SELECT (1)",
        "CREATE TABLE t LIKE u", "CREATE TABLE t (PRIMARY KEY (a))", "CREATE TABLE t (a enum('x)",
        "CREATE TABLE t (a int, `A` int)", "SELECT (1)"}) {
    EXPECT_FALSE(parse_create_table(text).ok()) << text;
  }
}

TEST(CreateTable, BinaryDefaultsFitAnyCharacterSet) {
  const CreateTable table = made_of(
      "`b` binary(3) DEFAULT '\\0\xff\x01', `v` varbinary(3) DEFAULT 'abc', `c` varchar(3) DEFAULT "
      "'\xc3\xa9'");
  EXPECT_EQ(table.columns[0], "`b` binary(3) DEFAULT x'00FF01'");
  EXPECT_EQ(table.columns[1], "`v` varbinary(3) DEFAULT 'abc'");
  EXPECT_EQ(table.columns[2], "`c` varchar(3) DEFAULT '\xc3\xa9'");
}

TEST(CreateTable, SetsTheName) {
  CreateTable table = table_of(kMariadb);
  set_name(table, {"other db", "x`y"});
  EXPECT_EQ(table.head, "CREATE TABLE `other db`.`x``y` (");
  set_name(table, {"a", "b"});
  EXPECT_EQ(table.head, "CREATE TABLE `a`.`b` (");
  CreateTable temporary = table_of("CREATE OR REPLACE TABLE IF NOT EXISTS q.`t` (a int)");
  set_name(temporary, {"a", "b"});
  EXPECT_EQ(temporary.head, "CREATE OR REPLACE TABLE IF NOT EXISTS `a`.`b` (");
}

TEST(CreateTable, RoutesParents) {
  CreateTable table = made_of(
      "`a` int, CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p` (`id`) ON DELETE CASCADE,"
      "FOREIGN KEY (`a`) REFERENCES `o`.`p` (`id`)");
  route_parents(table, "d", [](const TableName& name) {
    return TableName{name.database + "2", name.table};
  });
  EXPECT_EQ(table.foreign_keys[0],
            "CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `d2`.`p` (`id`) ON DELETE CASCADE");
  EXPECT_EQ(table.foreign_keys[1], "FOREIGN KEY (`a`) REFERENCES `o2`.`p` (`id`)");
}

TEST(LateKeys, TakesOnlyWhatNobodyNeeds) {
  CreateTable table = table_of(kMariadb);
  EXPECT_EQ(take_late_keys(table),
            std::vector<std::string>{"KEY `k` (`c`(20)) COMMENT 'key, (com)'"});
  EXPECT_EQ(table.keys.size(), 4u);
}

TEST(LateKeys, TheCounterKeepsAKey) {
  CreateTable only = made_of("`id` int AUTO_INCREMENT, `a` int, KEY `i` (`ID`), KEY `a` (`a`)");
  EXPECT_EQ(take_late_keys(only), std::vector<std::string>{"KEY `a` (`a`)"});
  CreateTable second =
      made_of("`id` int AUTO_INCREMENT, `a` int, KEY `ai` (`a`,`id`)", "ENGINE=MyISAM");
  EXPECT_TRUE(take_late_keys(second).empty());
  CreateTable other = made_of("`id` int AUTO_INCREMENT, UNIQUE KEY `u` (`id`), KEY `i` (`id`)");
  EXPECT_EQ(take_late_keys(other), std::vector<std::string>{"KEY `i` (`id`)"});
}

TEST(LateKeys, ATableThatIsItsOwnParentKeepsTheParentsKey) {
  CreateTable table = made_of(
      "`id` int, `up` int, `n` int, KEY `i` (`id`), KEY `u` (`up`,`n`), KEY `n` (`n`), KEY `f` "
      "((`n` + 1)),"
      "CONSTRAINT `self` FOREIGN KEY (`up`) REFERENCES `t` (`id`)");
  EXPECT_EQ(take_late_keys(table),
            (std::vector<std::string>{"KEY `n` (`n`)", "KEY `f` ((`n` + 1))"}));
}

TEST(PinCollations, NamesTheOldDefault) {
  CreateTable table = made_of(
      "`a` varchar(3) CHARACTER SET utf8mb4 DEFAULT NULL, `b` varchar(3) CHARACTER SET utf8mb4 "
      "COLLATE utf8mb4_bin,"
      "`c` varchar(3) CHARACTER SET latin1",
      "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='x'");
  pin_collations(table);
  EXPECT_EQ(table.columns[0],
            "`a` varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci DEFAULT NULL");
  EXPECT_EQ(table.columns[1], "`b` varchar(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
  EXPECT_EQ(table.columns[2], "`c` varchar(3) CHARACTER SET latin1");
  EXPECT_EQ(table.tail,
            ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='x'");
  CreateTable unchanged = table_of(kPartitioned);
  pin_collations(unchanged);
  EXPECT_EQ(to_text(unchanged), kPartitioned);
}

TEST(Differences, NoneForTheSameTable) {
  EXPECT_TRUE(differences(table_of(kMariadb), table_of(kMariadb)).empty());
  EXPECT_TRUE(differences(table_of(kPartitioned), table_of(kPartitioned)).empty());
}

TEST(Differences, SpellingsOfTheSameThing) {
  const CreateTable mysql = made_of(
      "`id` int unsigned NOT NULL AUTO_INCREMENT, `n` bigint DEFAULT '0', `m` int DEFAULT '-4', "
      "`y` year DEFAULT '2020',"
      "`d` datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), `ts` "
      "timestamp NULL DEFAULT NULL,"
      "`c` text, `e` varchar(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin, `x` varchar(40) DEFAULT "
      "(concat(_utf8mb4'a',_utf8mb4')')),"
      "`g` int GENERATED ALWAYS AS ((`n` + 1)) STORED NOT NULL /*!80023 INVISIBLE */, `i` int "
      "DEFAULT '5' /*!80023 INVISIBLE */,"
      "`J` json DEFAULT NULL, `b` binary(2) DEFAULT 0x00FF, `v` varchar(5) COLLATE "
      "utf8mb4_unicode_ci DEFAULT NULL,"
      "PRIMARY KEY (`id`), KEY `k` (`n`) /*!80000 INVISIBLE */,"
      "CONSTRAINT `t_ibfk_1` FOREIGN KEY (`n`) REFERENCES `p` (`id`) ON DELETE RESTRICT, "
      "CONSTRAINT `t_chk_1` CHECK ((`n` > 3))",
      "ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci\n"
      "/*!50100 PARTITION BY RANGE (`id`)\n(PARTITION p0 VALUES LESS THAN (3) ENGINE = InnoDB) */");
  const CreateTable mariadb = made_of(
      "`id` int(10) unsigned NOT NULL AUTO_INCREMENT, `n` bigint(20) DEFAULT 0 CHECK (`n` > 3), "
      "`m` int(11) DEFAULT -4, `y` year(4) DEFAULT 2020,"
      "`d` datetime(3) NOT NULL DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3), `ts` "
      "timestamp NULL DEFAULT NULL,"
      "`c` text DEFAULT NULL, `e` varchar(9) CHARACTER SET utf8 COLLATE utf8_bin DEFAULT NULL, `x` "
      "varchar(40) DEFAULT concat('a',')'),"
      "`g` int(11) GENERATED ALWAYS AS (`n` + 1) STORED INVISIBLE, `i` int(11) INVISIBLE DEFAULT 5,"
      "`J` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK "
      "(json_valid(`J`)), `b` binary(2) DEFAULT x'00ff',"
      "`v` varchar(5) DEFAULT NULL, KEY `k` (`n`) USING BTREE IGNORED, PRIMARY KEY (`id`),"
      "CONSTRAINT `other` FOREIGN KEY (`n`) REFERENCES `d`.`p` (`id`)",
      "ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci\n"
      " PARTITION BY RANGE (`id`)\n(PARTITION `p0` VALUES LESS THAN (3) ENGINE = InnoDB)");
  const std::vector<std::string> lines = differences(mysql, mariadb);
  EXPECT_TRUE(lines.empty()) << lines.front();
}

TEST(Differences, NamesEachThingThatDiffers) {
  const auto differ = [](std::string_view source, std::string_view target) {
    return differences(made_of(source), made_of(target));
  };
  const std::vector<std::pair<std::string_view, std::string_view>> pairs = {
      {"`a` int", "`a` bigint"},
      {"`a` int", "`a` int unsigned"},
      {"`a` int", "`a` int NOT NULL"},
      {"`a` int", "`a` int DEFAULT '1'"},
      {"`a` int(5) zerofill", "`a` int(6) zerofill"},
      {"`a` varchar(5)", "`a` varchar(6)"},
      {"`a` varchar(5) COLLATE utf8mb4_bin", "`a` varchar(5)"},
      {"`a` enum('a','b')", "`a` enum('b','a')"},
      {"`a` enum('a','b')", "`a` enum('a'' , ''b')"},
      {"`a` datetime", "`a` datetime(3)"},
      {"`a` timestamp NULL DEFAULT CURRENT_TIMESTAMP",
       "`a` timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"},
      {"`a` int, `b` int AS (`a` + 1) STORED", "`a` int, `b` int AS (`a` + 1) VIRTUAL"},
      {"`a` int, `b` int AS (`a` + 1) STORED", "`a` int, `b` int AS (`a` + 2) STORED"},
      {"`a` int, `b` int", "`b` int, `a` int"},
      {"`a` int", "`a` int, `b` int"},
      {"`a` int, KEY `k` (`a`)", "`a` int"},
      {"`a` int, UNIQUE KEY `k` (`a`)", "`a` int, KEY `k` (`a`)"},
      {"`a` char(9), KEY `k` (`a`)", "`a` char(9), KEY `k` (`a`(3))"},
      {"`a` int, FOREIGN KEY (`a`) REFERENCES `p` (`id`)",
       "`a` int, FOREIGN KEY (`a`) REFERENCES `p` (`id`) ON DELETE CASCADE"},
      {"`a` int, CHECK (`a` > 1)", "`a` int, CHECK (`a` > 2)"},
      {"`a` longtext CHECK (json_valid(`a`))", "`a` longtext"}};
  for (const auto& [source, target] : pairs) {
    EXPECT_FALSE(differ(source, target).empty()) << source << " and " << target;
    EXPECT_FALSE(differ(target, source).empty()) << target << " and " << source;
  }
  EXPECT_EQ(differ("`a` int", "`a` bigint"),
            std::vector<std::string>{"source: `a` int | target: `a` bigint"});
  EXPECT_EQ(differ("`a` int, `b` int", "`a` int"),
            std::vector<std::string>{"only at the source: `b` int"});
  const CreateTable innodb = made_of("`a` int", "ENGINE=InnoDB DEFAULT CHARSET=latin1");
  const CreateTable myisam =
      made_of("`a` int", "ENGINE=MyISAM DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci");
  EXPECT_EQ(differences(innodb, myisam),
            std::vector<std::string>{"source: engine=innodb | target: engine=myisam"});
}

TEST(CreateTable, NoInputBreaksIt) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string text(round % 2 == 0 ? kMariadb : kPartitioned);
    for (unsigned change = 0; change < 1 + random() % 4; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) text.erase(at, 1 + random() % 20);
      if (random() % 2 == 0)
        text.insert(std::min(at, text.size()), 1, "`'\"(),\\/*;x "[random() % 12]);
      if (text.empty()) text = "x";
    }
    Result<CreateTable> parsed = parse_create_table(text);
    if (!parsed.ok()) continue;
    CreateTable& table = parsed.value();
    (void)differences(table, table_of(kMariadb));
    (void)translate(table, Dialect::mariadb, Dialect::mysql);
    (void)translate(table, Dialect::mysql, Dialect::mariadb);
    (void)take_late_keys(table);
    set_name(table, {"a", "b"});
    (void)to_text(table);
  }
  for (std::size_t length = 0; length <= kMariadb.size(); ++length)
    (void)parse_create_table(kMariadb.substr(0, length));
}

}  // namespace
}  // namespace wherry::sql
