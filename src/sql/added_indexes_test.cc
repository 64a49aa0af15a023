// Which statements add plain indexes and nothing else.

#include "sql/added_indexes.h"

#include <gtest/gtest.h>

namespace wherry::sql {
namespace {

using Texts = std::vector<std::string>;

Texts added(std::string_view text, StatementMode mode = {}) {
  return added_indexes(classify(text, "shop", mode), text, mode);
}

TEST(AddedIndexes, OfBothStatements) {
  EXPECT_EQ(added("CREATE INDEX by_a ON t (a)"), Texts{"KEY `by_a` (a)"});
  EXPECT_EQ(
      added("create index `by``a` using btree on `shop`.`t` (a(10), (lower(b)) desc) comment 'x'"),
      Texts{"KEY `by``a` USING btree (a(10), (lower(b)) desc) comment 'x'"});
  EXPECT_EQ(added("ALTER TABLE t ADD INDEX by_a (a), ADD KEY by_b USING HASH (b) INVISIBLE"),
            (Texts{"KEY `by_a` (a)", "KEY `by_b` USING HASH (b) INVISIBLE"}));
  EXPECT_EQ(added("ALTER TABLE t ALGORITHM=INPLACE, LOCK=NONE, ADD INDEX by_a (a)"),
            Texts{"KEY `by_a` (a)"});
  EXPECT_EQ(added("CREATE INDEX by_a ON t (a) KEY_BLOCK_SIZE=8 ALGORITHM INPLACE LOCK=NONE"),
            Texts{"KEY `by_a` (a) KEY_BLOCK_SIZE=8"});
}

TEST(AddedIndexes, NotWhatMustBeThereBeforeTheNextRow) {
  for (const char* text :
       {"CREATE UNIQUE INDEX u ON t (a)", "ALTER TABLE t ADD UNIQUE KEY u (a)",
        "ALTER TABLE t ADD FULLTEXT INDEX f (a)", "ALTER TABLE t ADD INDEX i (a), DROP COLUMN b",
        "ALTER TABLE t ADD COLUMN c INT, ADD INDEX i (c)", "ALTER TABLE t ADD INDEX (a)",
        "ALTER TABLE t ADD INDEX IF NOT EXISTS i (a)", "CREATE INDEX IF NOT EXISTS i ON t (a)",
        "CREATE OR REPLACE INDEX i ON t (a)", "DROP INDEX i ON t", "ALTER TABLE t ADD INDEX i (a",
        "ALTER TABLE t RENAME TO u, ADD INDEX i (a)", "CREATE INDEX i ON t (a) NOWAIT",
        "CREATE INDEX \xc3\xa4 ON t (a)"}) {
    EXPECT_EQ(added(text), Texts{}) << text;
  }
  StatementMode ansi;
  ansi.ansi_quotes = true;
  EXPECT_EQ(added("CREATE INDEX \"i\" ON t (a)", ansi), Texts{});
}

}  // namespace
}  // namespace wherry::sql
