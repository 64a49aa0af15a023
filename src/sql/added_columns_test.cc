// Which changes of a definition rows of the old form can do without.

#include "sql/added_columns.h"

#include <gtest/gtest.h>

namespace wherry::sql {
namespace {

CreateTable made_of(std::string_view columns, std::string_view rest = "PRIMARY KEY (`id`)",
                    std::string_view options = "ENGINE=InnoDB") {
  Result<CreateTable> parsed =
      parse_create_table("CREATE TABLE `t` (\n" + std::string(columns) + ",\n" + std::string(rest) +
                         "\n) " + std::string(options));
  EXPECT_TRUE(parsed.ok()) << columns;
  return parsed.ok() ? std::move(parsed).value() : CreateTable();
}

std::string why_not(std::string_view after, Dialect dialect = Dialect::mysql) {
  return unlike_added_columns(made_of("`id` int NOT NULL,\n`a` int DEFAULT NULL"), made_of(after),
                              dialect);
}

TEST(AddedColumns, WithAConstantDefaultAnywhere) {
  for (const char* column :
       {"`x` int DEFAULT NULL", "`x` int NOT NULL DEFAULT '5'", "`x` text", "`x` int DEFAULT -5",
        "`x` varchar(9) NOT NULL DEFAULT 'a (b' COMMENT 'DEFAULT now()'", "`x` bit(1) DEFAULT b'1'",
        "`x` varchar(9) DEFAULT _utf8mb4'q'"}) {
    const std::string text(column);
    EXPECT_EQ(why_not("`id` int NOT NULL,\n`a` int DEFAULT NULL,\n" + text), "") << text;
    EXPECT_EQ(why_not(text + ",\n`id` int NOT NULL,\n`a` int DEFAULT NULL"), "") << text;
    EXPECT_EQ(why_not("`id` int NOT NULL,\n" + text + ",\n`a` int DEFAULT NULL", Dialect::mariadb),
              "")
        << text;
  }
}

TEST(AddedColumns, NotOfAValueThatDiffersFromRowToRow) {
  for (const char* column :
       {"`x` int NOT NULL", "`x` datetime DEFAULT CURRENT_TIMESTAMP",
        "`x` datetime DEFAULT current_timestamp()", "`x` char(36) DEFAULT (uuid())",
        "`x` timestamp NULL DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP",
        "`x` int GENERATED ALWAYS AS (`a` + 1) VIRTUAL", "`x` int NOT NULL AUTO_INCREMENT"}) {
    const std::string text(column);
    EXPECT_NE(why_not("`id` int NOT NULL,\n`a` int DEFAULT NULL,\n" + text), "") << text;
  }
}

TEST(AddedColumns, NotWhereAnythingElseChanges) {
  for (const char* columns :
       {"`id` int NOT NULL", "`id` int NOT NULL,\n`a` bigint DEFAULT NULL",
        "`a` int DEFAULT NULL,\n`id` int NOT NULL", "`id` int NOT NULL,\n`b` int DEFAULT NULL",
        "`id` int NOT NULL,\n`x` int DEFAULT NULL"})
    EXPECT_NE(why_not(columns), "") << columns;
  const CreateTable before = made_of("`id` int NOT NULL,\n`a` int DEFAULT NULL");
  const std::string after = "`id` int NOT NULL,\n`a` int DEFAULT NULL,\n`x` int DEFAULT NULL";
  EXPECT_NE(unlike_added_columns(before, made_of(after, "PRIMARY KEY (`id`),\nKEY `a` (`a`)"),
                                 Dialect::mysql),
            "");
  EXPECT_NE(unlike_added_columns(before, made_of(after, "PRIMARY KEY (`id`)", "ENGINE=MyISAM"),
                                 Dialect::mysql),
            "");
}

}  // namespace
}  // namespace wherry::sql
