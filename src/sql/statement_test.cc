#include "sql/statement.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

namespace wherry::sql {
namespace {

constexpr StatementMode kMysql{};
constexpr StatementMode kMariadb{.dialect = Dialect::mariadb};

// The objects as "database.table" with a letter for the role, in the order written.
std::string objects_of(const Statement& statement) {
  std::string out = statement.database_end == 0 ? "" : statement.database + ".";
  for (const NameSpan& object : statement.objects) {
    if (!out.empty()) out += ' ';
    if (object.role == NameRole::new_name) out += '>';
    if (object.role == NameRole::model) out += '~';
    if (object.role == NameRole::referenced) out += '^';
    out += object.name.to_string();
  }
  return out;
}

struct Case {
  std::string_view text;
  Kind kind;
  std::string_view objects;
};

void check(const std::vector<Case>& cases, StatementMode mode) {
  for (const Case& wanted : cases) {
    const Statement statement = classify(wanted.text, "d", mode);
    EXPECT_EQ(row_of(statement.kind).name, row_of(wanted.kind).name) << wanted.text;
    EXPECT_EQ(objects_of(statement), wanted.objects) << wanted.text;
    EXPECT_EQ(statement.policy, row_of(wanted.kind).policy) << wanted.text;
  }
}

TEST(Classify, TransactionFrames) {
  check({{"BEGIN", Kind::begin, ""},
         {"begin work", Kind::begin, ""},
         {"START TRANSACTION", Kind::begin, ""},
         {"start transaction read only", Kind::begin, ""},
         {"COMMIT", Kind::commit, ""},
         {"/* app */ COMMIT /* x */", Kind::commit, ""},
         {"ROLLBACK", Kind::rollback, ""},
         {"ROLLBACK WORK", Kind::rollback, ""},
         {"ROLLBACK TO SAVEPOINT `b c`", Kind::rollback_to_savepoint, ""},
         {"ROLLBACK TO `x`", Kind::rollback_to_savepoint, ""},
         {"ROLLBACK WORK TO a", Kind::rollback_to_savepoint, ""},
         {"SAVEPOINT `a`", Kind::savepoint, ""},
         {"RELEASE SAVEPOINT `a`", Kind::release_savepoint, ""}},
        kMysql);
}

TEST(Classify, Databases) {
  check({{"CREATE DATABASE shop CHARACTER SET utf8mb4", Kind::create_database, "shop."},
         {"create schema if not exists `a b`", Kind::create_database, "a b."},
         {"CREATE DATABASE /*!32312 IF NOT EXISTS*/ x", Kind::create_database, "x."},
         {"CREATE OR REPLACE DATABASE x", Kind::create_database, "x."},
         {"ALTER DATABASE shop COLLATE utf8mb4_bin", Kind::alter_database, "shop."},
         {"ALTER DATABASE CHARACTER SET = latin1 COLLATE = latin1_swedish_ci", Kind::alter_database,
          "d."},
         {"ALTER DATABASE DEFAULT CHARACTER SET utf8mb4", Kind::alter_database, "d."},
         {"ALTER SCHEMA COLLATE = utf8mb4_bin", Kind::alter_database, "d."},
         {"ALTER DATABASE COLLATE 'utf8mb4_bin'", Kind::alter_database, "d."},
         {"ALTER DATABASE CHARSET latin1", Kind::alter_database, "d."},
         {"ALTER DATABASE READ ONLY = 1", Kind::alter_database, "d."},
         {"ALTER DATABASE `collate` COLLATE utf8mb4_bin", Kind::alter_database, "collate."},
         {"ALTER DATABASE charset CHARACTER SET latin1", Kind::alter_database, "d."},
         {"DROP DATABASE IF EXISTS shop", Kind::drop_database, "shop."}},
        kMysql);
  EXPECT_EQ(classify("ALTER DATABASE CHARACTER SET latin1", "shop", kMysql).database, "shop");
  EXPECT_EQ(classify("ALTER DATABASE CHARACTER SET latin1", "", kMysql).policy, Policy::stop);
}

TEST(Classify, CreateTable) {
  check({{"CREATE TABLE t (id INT)", Kind::create_table, "d.t"},
         {"CREATE TABLE IF NOT EXISTS a.t (id INT)", Kind::create_table, "a.t"},
         {"CREATE TABLE `a`.`t`(`id` INT)", Kind::create_table, "a.t"},
         {"CREATE TABLE `a` . `t``x` (id INT)", Kind::create_table, "a.t`x"},
         {"CREATE TABLE .t (id INT)", Kind::create_table, "d.t"},
         {"CREATE TABLE 1st (id INT)", Kind::create_table, "d.1st"},
         {"CREATE TABLE d2.1st (id INT)", Kind::create_table, "d2.1st"},
         {"CREATE TABLE d2.1e5 (id INT)", Kind::create_table, "d2.1e5"},
         {"CREATE TABLE t\xc3\xa9 (id INT)", Kind::create_table, "d.t\xc3\xa9"},
         {"CREATE/**/TABLE/**/t/**/(id INT)", Kind::create_table, "d.t"},
         {"CREATE TABLE t (a VARCHAR(9) DEFAULT 'SELECT (' COMMENT 'AS, it''s \\' (', b INT)",
          Kind::create_table, "d.t"},
         {"CREATE TABLE t (a INT DEFAULT (1+2), b DATE DEFAULT (CURDATE()), c INT AS (a+1) STORED)",
          Kind::create_table, "d.t"},
         {"CREATE TABLE t (a INT, x INT, FOREIGN KEY (x) REFERENCES p (id), KEY (a))",
          Kind::create_table, "d.t ^d.p"},
         {"CREATE TABLE t (a INT REFERENCES q.p (id) ON DELETE CASCADE)", Kind::create_table,
          "d.t ^q.p"},
         {"CREATE TABLE t (a INT) PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (3))",
          Kind::create_table, "d.t"},
         {"CREATE TABLE m (a INT) ENGINE=MERGE UNION=(t1, x.t2) INSERT_METHOD=LAST",
          Kind::create_table, "d.m ^d.t1 ^x.t2"},
         {"CREATE TABLE t (a INT);", Kind::create_table, "d.t"},
         {"CREATE TABLE t LIKE o.u", Kind::create_table_like, "d.t ~o.u"},
         {"CREATE TABLE IF NOT EXISTS t (LIKE u)", Kind::create_table_like, "d.t ~d.u"},
         {"CREATE TEMPORARY TABLE t (a INT)", Kind::temporary_table, "d.t"},
         {"CREATE TABLE t (like_it INT)", Kind::create_table, "d.t"}},
        kMysql);
}

TEST(Classify, CreateTableFromAQuery) {
  const std::string_view logged =
      "CREATE TABLE `copy_a` (\n  `id` int NOT NULL\n) START TRANSACTION";
  const Statement followed = classify(logged, "d", kMysql);
  EXPECT_EQ(followed.kind, Kind::create_table_select);
  EXPECT_EQ(followed.policy, Policy::apply);
  EXPECT_EQ(rewrite(followed, logged, [](const TableName& name) { return name; }),
            "CREATE TABLE `d`.`copy_a` (\n  `id` int NOT NULL\n) ");
  for (const char* text :
       {"CREATE TABLE t SELECT 1", "CREATE TABLE t AS SELECT 1", "CREATE TABLE t (SELECT 1)",
        "CREATE TABLE t ((SELECT 1))", "CREATE TABLE t (a INT) IGNORE SELECT 1",
        "CREATE TABLE t (a INT) REPLACE AS SELECT 1",
        "CREATE TABLE t WITH c AS (SELECT 1) SELECT * FROM c", "CREATE TABLE t TABLE u",
        "CREATE TABLE t AS VALUES ROW(1)"}) {
    const Statement statement = classify(text, "d", kMysql);
    EXPECT_EQ(statement.kind, Kind::create_table_select) << text;
    EXPECT_EQ(statement.policy, Policy::stop) << text;
  }
  check({{"CREATE OR REPLACE TABLE t (a INT) WITH SYSTEM VERSIONING", Kind::create_table, "d.t"}},
        kMariadb);
}

TEST(Classify, AlterTable) {
  check({{"ALTER TABLE t ADD COLUMN a INT AFTER b", Kind::alter_table, "d.t"},
         {"ALTER TABLE t RENAME COLUMN a TO b, RENAME INDEX i TO j, RENAME KEY k TO l",
          Kind::alter_table, "d.t"},
         {"ALTER TABLE t RENAME TO u", Kind::alter_table, "d.t >d.u"},
         {"ALTER TABLE t RENAME AS x.u", Kind::alter_table, "d.t >x.u"},
         {"ALTER TABLE t RENAME = u", Kind::alter_table, "d.t >d.u"},
         {"ALTER TABLE t RENAME u", Kind::alter_table, "d.t >d.u"},
         {"ALTER TABLE t ADD x INT, RENAME TO u, ADD y INT", Kind::alter_table, "d.t >d.u"},
         {"ALTER TABLE t EXCHANGE PARTITION p1 WITH TABLE x.u WITHOUT VALIDATION",
          Kind::alter_table, "d.t x.u"},
         {"ALTER TABLE code_list MODIFY COLUMN code_list.extra7 VARCHAR(400)", Kind::alter_table,
          "d.code_list"},
         {"ALTER TABLE t CHANGE COLUMN t.a b BIGINT FIRST, ALGORITHM=COPY, LOCK=SHARED",
          Kind::alter_table, "d.t"},
         {"ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p(id)", Kind::alter_table,
          "d.t ^d.p"},
         {"ALTER TABLE seller MODIFY name VARCHAR(36) NOT NULL CHECK (name <> '')",
          Kind::alter_table, "d.seller"},
         {"ALTER TABLE t ADD CONSTRAINT c CHECK (q BETWEEN -5 AND 5 AND (n <> 'a,b RENAME TO x' OR "
          "q > 0))",
          Kind::alter_table, "d.t"},
         {"ALTER TABLE `_s` CHANGE l l VARCHAR(48) DEFAULT _utf8mb4'' COMMENT 'it''s \"q\"; -- no'",
          Kind::alter_table, "d._s"},
         {"ALTER TABLE t ADD COLUMN k CHAR(2) DEFAULT _latin1 x'E9', ADD b VARBINARY(4) DEFAULT "
          "x'00FF'",
          Kind::alter_table, "d.t"},
         {"ALTER TABLE t REORGANIZE PARTITION p INTO (PARTITION a VALUES LESS THAN (3), PARTITION "
          "b VALUES LESS THAN MAXVALUE)",
          Kind::alter_table, "d.t"},
         {"ALTER TABLE t TRUNCATE PARTITION p0", Kind::alter_table, "d.t"},
         {"ALTER TABLE t ENGINE=InnoDB", Kind::alter_table, "d.t"},
         {"ALTER TABLE t FORCE", Kind::alter_table, "d.t"},
         {"ALTER TABLE t", Kind::alter_table, "d.t"},
         {"ALTER ONLINE TABLE t ADD a INT", Kind::alter_table, "d.t"},
         {"ALTER TABLE m UNION=(a,b)", Kind::alter_table, "d.m ^d.a ^d.b"}},
        kMysql);
  check({{"ALTER TABLE IF EXISTS a ADD COLUMN IF NOT EXISTS v INT, RENAME COLUMN v TO vv",
          Kind::alter_table, "d.a"},
         {"ALTER IGNORE TABLE t WAIT 10 ADD UNIQUE (a)", Kind::alter_table, "d.t"},
         {"ALTER TABLE t NOWAIT RENAME TO u", Kind::alter_table, "d.t >d.u"},
         {"ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4", Kind::alter_table, "d.t"},
         {"ALTER TABLE t CONVERT PARTITION p TO TABLE u", Kind::alter_table, "d.t d.u"},
         {"ALTER TABLE t CONVERT TABLE u TO PARTITION p VALUES LESS THAN (3)", Kind::alter_table,
          "d.t d.u"},
         {"SET STATEMENT max_statement_time=0, sql_mode='' FOR ALTER TABLE t ADD a INT",
          Kind::alter_table, "d.t"}},
        kMariadb);
}

TEST(Classify, AlterTableThatMovesFilesStops) {
  for (const char* text :
       {"ALTER TABLE t DISCARD TABLESPACE", "ALTER TABLE t IMPORT TABLESPACE",
        "ALTER TABLE t IMPORT PARTITION p TABLESPACE", "IMPORT TABLE FROM '/x.sdi'"}) {
    EXPECT_EQ(classify(text, "d", kMysql).policy, Policy::stop) << text;
  }
  EXPECT_EQ(classify("ALTER TABLE t SECONDARY_LOAD", "d", kMysql).policy, Policy::ignore);
}

TEST(Classify, DropRenameTruncateIndex) {
  check(
      {{"DROP TABLE `t` /* generated by server */", Kind::drop_table, "d.t"},
       {"DROP TABLE IF EXISTS a, x.b, `c d` CASCADE", Kind::drop_table, "d.a x.b d.c d"},
       {"DROP TABLES a, b", Kind::drop_table, "d.a d.b"},
       {"DROP TEMPORARY TABLE IF EXISTS `t` /* generated by server */", Kind::temporary_table,
        "d.t"},
       {"DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `same_name`", Kind::temporary_table,
        "d.same_name"},
       {"RENAME TABLE a TO c, b TO a, c TO b", Kind::rename_table, "d.a >d.c d.b >d.a d.c >d.b"},
       {"RENAME TABLE a.t TO b.t", Kind::rename_table, "a.t >b.t"},
       {"TRUNCATE t", Kind::truncate_table, "d.t"},
       {"TRUNCATE TABLE x.t", Kind::truncate_table, "x.t"},
       {"TRUNCATE TABLE `x`.`t` /* generated by server */", Kind::truncate_table, "x.t"},
       {"DELETE FROM `x`.`t` /* generated by server */", Kind::truncate_table, "x.t"},
       {"CREATE INDEX i ON t (a)", Kind::create_index, "d.t"},
       {"CREATE UNIQUE INDEX i USING BTREE ON x.t (a(10) DESC, (b+1))", Kind::create_index, "x.t"},
       {"CREATE FULLTEXT INDEX i ON t (a) WITH PARSER ngram", Kind::create_index, "d.t"},
       {"DROP INDEX `PRIMARY` ON t", Kind::drop_index, "d.t"},
       {"DROP INDEX i ON t ALGORITHM=INPLACE", Kind::drop_index, "d.t"}},
      kMysql);
  check({{"RENAME TABLE IF EXISTS a WAIT 5 TO b, c NOWAIT TO e", Kind::rename_table,
          "d.a >d.b d.c >d.e"},
         {"DROP TABLE t WAIT 10", Kind::drop_table, "d.t"},
         {"CREATE OR REPLACE INDEX IF NOT EXISTS i ON t (a)", Kind::create_index, "d.t"},
         {"DROP INDEX IF EXISTS i ON t", Kind::drop_index, "d.t"},
         {"CREATE SEQUENCE s START WITH 5", Kind::create_sequence, "d.s"},
         {"CREATE OR REPLACE SEQUENCE x.s", Kind::create_sequence, "x.s"},
         {"ALTER SEQUENCE IF EXISTS s RESTART 9", Kind::alter_sequence, "d.s"},
         {"DROP SEQUENCE s, x.t", Kind::drop_sequence, "d.s x.t"},
         {"CREATE TEMPORARY SEQUENCE s", Kind::temporary_table, "d.s"}},
        kMariadb);
}

TEST(Classify, ViewsRoutinesTriggersEvents) {
  check({{"CREATE VIEW v AS SELECT 1", Kind::create_view, "d.v"},
         {"CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`r`@`%` SQL SECURITY DEFINER VIEW x.v AS "
          "SELECT 1",
          Kind::create_view, "x.v"},
         {"CREATE JSON RELATIONAL DUALITY VIEW v AS SELECT 1", Kind::create_view, "d.v"},
         {"ALTER DEFINER=view@localhost SQL SECURITY INVOKER VIEW v AS SELECT 2", Kind::alter_view,
          "d.v"},
         {"DROP VIEW IF EXISTS v, x.w", Kind::drop_view, "d.v x.w"},
         {"CREATE DEFINER=`table`@`localhost` PROCEDURE p() UPDATE q SET v=v+1; DELETE FROM q",
          Kind::create_routine, "d.p"},
         {"CREATE DEFINER=CURRENT_USER() FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1",
          Kind::create_routine, "d.f"},
         {"CREATE AGGREGATE FUNCTION f RETURNS STRING SONAME 'f.so'", Kind::other_ddl, "d.f"},
         {"ALTER PROCEDURE p COMMENT 'x'", Kind::alter_routine, "d.p"},
         {"DROP FUNCTION IF EXISTS x.f", Kind::drop_routine, "x.f"},
         {"CREATE DEFINER=u@'127.0.0.1' TRIGGER t BEFORE INSERT ON q FOR EACH ROW SET NEW.v=1",
          Kind::create_trigger, "d.t"},
         {"DROP TRIGGER IF EXISTS t", Kind::drop_trigger, "d.t"},
         {"CREATE DEFINER=`r`@`%` EVENT IF NOT EXISTS e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
          Kind::create_event, "d.e"},
         {"ALTER EVENT e DISABLE", Kind::alter_event, "d.e"},
         {"DROP EVENT e", Kind::drop_event, "d.e"},
         {"CREATE LIBRARY l LANGUAGE JAVASCRIPT AS $$ x $$", Kind::create_routine, "d.l"}},
        kMysql);
  check({{"CREATE OR REPLACE PACKAGE BODY p AS PROCEDURE x; END", Kind::create_routine, "d.p"},
         {"DROP PACKAGE BODY p", Kind::drop_routine, "d.p"}},
        kMariadb);
}

TEST(Classify, WhatIsLeftOut) {
  check({{"CREATE USER u@h IDENTIFIED BY 'x'", Kind::account, ""},
         {"ALTER USER 'u'@'%' IDENTIFIED WITH 'x' AS 'y'", Kind::account, ""},
         {"DROP USER IF EXISTS u", Kind::account, ""},
         {"RENAME USER a TO b", Kind::account, ""},
         {"CREATE ROLE r", Kind::account, ""},
         {"GRANT SELECT ON d.* TO u", Kind::account, ""},
         {"REVOKE ALL ON d.* FROM u", Kind::account, ""},
         {"SET PASSWORD FOR 'u'@'h' = 'x'", Kind::account, ""},
         {"SET DEFAULT ROLE r TO u", Kind::account, ""},
         {"SET @@SESSION.x = 1", Kind::set_statement, ""},
         {"ANALYZE NO_WRITE_TO_BINLOG TABLE t", Kind::maintenance, ""},
         {"ANALYZE TABLE t", Kind::maintenance, ""},
         {"OPTIMIZE TABLE t", Kind::maintenance, ""},
         {"REPAIR TABLE t", Kind::maintenance, ""},
         {"CHECK TABLE t", Kind::maintenance, ""},
         {"FLUSH TABLES", Kind::maintenance, ""},
         {"FLUSH /*!50000 LOCAL */ LOGS", Kind::maintenance, ""},
         {"CACHE INDEX t IN hot", Kind::maintenance, ""},
         {"LOAD INDEX INTO CACHE t", Kind::maintenance, ""},
         {"ALTER INSTANCE ROTATE INNODB MASTER KEY", Kind::maintenance, ""},
         {"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (PASSWORD 'x')", Kind::other_ddl, ""},
         {"CREATE UNDO TABLESPACE u ADD DATAFILE 'u.ibu'", Kind::other_ddl, ""},
         {"CREATE SPATIAL REFERENCE SYSTEM 4120 NAME 'x'", Kind::other_ddl, ""},
         {"CREATE RESOURCE GROUP g TYPE = USER", Kind::other_ddl, ""},
         {"INSTALL PLUGIN p SONAME 'p.so'", Kind::other_ddl, ""}},
        kMysql);
}

TEST(Classify, RowsInStatementFormatStop) {
  check({{"INSERT INTO beat VALUES (1,'x',1)", Kind::dml, "d.beat"},
         {"INSERT LOW_PRIORITY IGNORE x.beat SELECT * FROM y", Kind::dml, "x.beat"},
         {"REPLACE INTO beat VALUES (1)", Kind::dml, "d.beat"},
         {"UPDATE beat SET n=n+1", Kind::dml, "d.beat"},
         {"UPDATE beat, other SET n=1", Kind::dml, ""},
         {"UPDATE beat AS b SET n=1", Kind::dml, ""},
         {"DELETE FROM beat WHERE id=1", Kind::dml, "d.beat"},
         {"DELETE FROM beat", Kind::dml, "d.beat"},
         {"DELETE FROM beat USING beat JOIN o", Kind::dml, ""},
         {"DELETE a, b FROM a JOIN b", Kind::dml, ""},
         {"LOAD DATA LOCAL INFILE 'x' IGNORE INTO TABLE x.t (a)", Kind::dml, "x.t"},
         {"CALL p()", Kind::dml, ""},
         {"DO f()", Kind::dml, ""},
         {"SELECT f()", Kind::dml, ""},
         {"WITH c AS (SELECT 1) UPDATE t SET a=1", Kind::dml, ""},
         {"ANALYZE UPDATE t SET a=1", Kind::dml, ""}},
        kMariadb);
  EXPECT_EQ(
      classify("SET STATEMENT sql_mode='' FOR INSERT INTO t VALUES (1)", "d", kMariadb).policy,
      Policy::stop);
}

TEST(Classify, WhatIsNotUnderstoodStops) {
  for (const char* text : {"",
                           " ",
                           "/* only a comment */",
                           "CREATE",
                           "ALTER TABLE",
                           "DROP TABLE",
                           "DROP TABLE a,",
                           "RENAME TABLE a",
                           "RENAME TABLE a TO",
                           "XA",
                           "XA START",
                           "XA START a",
                           "FROBNICATE t",
                           "CREATE TABLE",
                           "CREATE INDEX i",
                           "'x'",
                           "`x`",
                           "SET STATEMENT x=1",
                           "ALTER TRIGGER t",
                           "CREATE INSTANCE",
                           "ROLLFORWARD",
                           "TRUNCATE"}) {
    const Statement statement = classify(text, "d", kMysql);
    EXPECT_EQ(statement.kind, Kind::unknown) << text;
    EXPECT_EQ(statement.policy, Policy::stop) << text;
  }
}

TEST(Classify, ASecondStatementInTheTextStops) {
  EXPECT_EQ(classify("DROP TABLE a; DROP TABLE b", "d", kMysql).policy, Policy::stop);
  EXPECT_EQ(classify("DROP TABLE a; -- done", "d", kMysql).policy, Policy::apply);
}

TEST(Classify, SqlModesOfTheSession) {
  constexpr StatementMode kAnsi{.ansi_quotes = true};
  EXPECT_EQ(objects_of(classify("CREATE TABLE \"made \"\"ansi\"\"\" (\"id\" INT)", "d", kAnsi)),
            "d.made \"ansi\"");
  EXPECT_EQ(objects_of(classify("DROP TABLE \"a\".\"b\"", "d", kAnsi)), "a.b");
  EXPECT_EQ(classify("DROP TABLE \"a\"", "d", kMysql).kind, Kind::unknown);
  constexpr StatementMode kNoEscapes{.no_backslash_escapes = true};
  const std::string_view text = "ALTER TABLE t COMMENT='a\\', RENAME TO u, COMMENT='b'";
  EXPECT_EQ(objects_of(classify(text, "d", kNoEscapes)), "d.t >d.u");
  EXPECT_EQ(objects_of(classify(text, "d", kMysql)), "d.t");
}

TEST(Classify, ClientCharacterSets) {
  constexpr StatementMode kGbk{.charset = TextCharset::gbk};
  const std::string_view text = "ALTER TABLE t COMMENT='\xd5\x5c', RENAME TO u";
  EXPECT_EQ(objects_of(classify(text, "d", kGbk)), "d.t >d.u");
  EXPECT_EQ(objects_of(classify("DROP TABLE `\x81\x60`", "d", kGbk)), "d.\x81\x60");
}

TEST(Classify, ExecutableCommentsByDialect) {
  const std::string_view mysql_only = "ALTER TABLE t /*!80000 RENAME TO u */";
  EXPECT_EQ(objects_of(classify(mysql_only, "d", kMysql)), "d.t >d.u");
  EXPECT_EQ(objects_of(classify(mysql_only, "d", kMariadb)), "d.t");
  const std::string_view mariadb_only = "ALTER TABLE t /*M!100100 RENAME TO u */";
  EXPECT_EQ(objects_of(classify(mariadb_only, "d", kMysql)), "d.t");
  EXPECT_EQ(objects_of(classify(mariadb_only, "d", kMariadb)), "d.t >d.u");
  const std::string_view both = "ALTER TABLE t /*! RENAME /* to */ TO u */";
  EXPECT_EQ(objects_of(classify(both, "d", kMysql)), "d.t >d.u");
  EXPECT_EQ(objects_of(classify("# x\nDROP -- y\nTABLE --z\nt", "d", kMysql)), "");
  EXPECT_EQ(objects_of(classify("# x\nDROP -- y\nTABLE t", "d", kMysql)), "d.t");
}

TEST(Classify, XaNamesAreCanonical) {
  const auto xid = [](std::string_view text) { return classify(text, "d", kMysql).xid; };
  EXPECT_EQ(xid("XA START X'6a6f62',X'',1"), "X'6a6f62',X'',1");
  EXPECT_EQ(xid("XA START 'job'"), "X'6a6f62',X'',1");
  EXPECT_EQ(xid("XA BEGIN \"job\", ''"), "X'6a6f62',X'',1");
  EXPECT_EQ(xid("XA END x'6A6F62',X'62',5"), "X'6a6f62',X'62',5");
  EXPECT_EQ(xid("XA PREPARE 0x6a6f62 , 'b' , 05"), "X'6a6f62',X'62',5");
  EXPECT_EQ(xid("XA COMMIT X'00ff','x',1 ONE PHASE"), "X'00ff',X'78',1");
  EXPECT_EQ(xid("XA ROLLBACK b'01101010'"), "X'6a',X'',1");
  EXPECT_EQ(classify("XA COMMIT 'a'", "d", kMysql).kind, Kind::xa_commit);
  EXPECT_EQ(classify("XA ROLLBACK 'a'", "d", kMysql).policy, Policy::control);
  EXPECT_EQ(classify("XA RECOVER", "d", kMysql).policy, Policy::stop);
}

TEST(Classify, Flags) {
  const Statement statement = classify("DROP TABLE IF EXISTS a, b", "d", kMysql);
  EXPECT_TRUE(statement.if_exists && statement.multi_table);
  EXPECT_TRUE(classify("CREATE OR REPLACE TABLE t (a INT)", "d", kMariadb).or_replace);
  EXPECT_TRUE(classify("CREATE TABLE IF NOT EXISTS t (a INT)", "d", kMysql).if_not_exists);
  EXPECT_FALSE(classify("ALTER TABLE t ADD a INT", "d", kMysql).multi_table);
}

TEST(Rewrite, RoutesEveryName) {
  const auto route = [](const TableName& name) {
    TableName to = name;
    if (to.database == "d") to.database = "d2";
    if (to.table == "t") to.table = "t`2";
    return to;
  };
  const auto rewritten = [&](std::string_view text) {
    return rewrite(classify(text, "d", kMysql), text, route);
  };
  EXPECT_EQ(rewritten("ALTER TABLE t ADD a INT"), "ALTER TABLE `d2`.`t``2` ADD a INT");
  EXPECT_EQ(rewritten("RENAME TABLE t TO d . u, x.t TO v"),
            "RENAME TABLE `d2`.`t``2` TO `d2`.`u`, `x`.`t``2` TO `d2`.`v`");
  EXPECT_EQ(rewritten("CREATE TABLE .t(a INT REFERENCES p(a))"),
            "CREATE TABLE `d2`.`t``2`(a INT REFERENCES `d2`.`p`(a))");
  EXPECT_EQ(rewritten("DROP TABLE`t`,u"), "DROP TABLE`d2`.`t``2`,`d2`.`u`");
  EXPECT_EQ(rewritten("ALTER DATABASE CHARACTER SET latin1"),
            "ALTER DATABASE `d2` CHARACTER SET latin1");
  EXPECT_EQ(rewritten("ALTER DATABASE d CHARACTER SET latin1"),
            "ALTER DATABASE `d2` CHARACTER SET latin1");
}

TEST(Printable, HidesSecretsAndCutsLongTexts) {
  const auto shown = [](std::string_view text) {
    return printable(classify(text, "d", kMysql), text);
  };
  EXPECT_EQ(shown("CREATE USER u IDENTIFIED BY 'geheim'"), "CREATE USER u IDENTIFIED ***");
  EXPECT_EQ(shown("SET PASSWORD FOR u = 'geheim'"), "SET PASSWORD ***");
  EXPECT_EQ(shown("CREATE USER 'a\\' IDENTIFIED BY 'geheim'").find("geheim"), std::string::npos);
  EXPECT_EQ(
      shown("CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 'geheim')")
          .find("geheim"),
      std::string::npos);
  EXPECT_EQ(shown("CREATE TABLE t (a INT) ENGINE=FEDERATED CONNECTION='mysql://u:geheim@h/d/t'"),
            "CREATE TABLE t (a INT) ENGINE=FEDERATED CONNECTION='***'");
  EXPECT_EQ(shown("DROP TABLE\n\tt"), "DROP TABLE  t");
  const std::string long_text =
      "INSERT INTO t VALUES ('" + std::string(476, 'x') + "\xc3\xa9\xc3\xa9 and more')";
  EXPECT_EQ(shown(long_text).size(), 502u);
}

TEST(Kinds, EveryKindHasOneRowAndTheDocumentShowsIt) {
  std::ifstream file("docs/DDL.md");
  ASSERT_TRUE(file.is_open()) << "tests run in the project's folder";
  std::stringstream document;
  document << file.rdbuf();
  ASSERT_EQ(kinds().size(), static_cast<std::size_t>(Kind::unknown) + 1);
  constexpr std::string_view kPolicies[] = {"apply", "ignore", "stop", "control"};
  for (std::size_t i = 0; i < kinds().size(); ++i) {
    const KindRow& row = kinds()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.kind), i) << row.name;
    const std::string line = "| `" + std::string(row.name) + "` | " +
                             std::string(kPolicies[static_cast<std::size_t>(row.policy)]) + " | " +
                             std::string(row.why) + " |";
    EXPECT_NE(document.str().find(line), std::string::npos) << line;
  }
}

TEST(Classify, NoInputBreaksIt) {
  std::mt19937 random(11);
  const std::string alphabet =
      "`'\"\\/*!-#.,;()=@ \n0x8\x81\xff\xe5"
      "aTABLE";
  const std::vector<std::string> starts = {
      "",          "ALTER TABLE t ",     "CREATE TABLE ",   "DROP TABLE ",
      "XA START ", "RENAME TABLE a TO ", "CREATE DEFINER=", "SET STATEMENT "};
  for (int round = 0; round < 5000; ++round) {
    std::string text = starts[random() % starts.size()];
    const std::size_t length = random() % 30;
    for (std::size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
    StatementMode mode;
    mode.dialect = random() % 2 == 0 ? Dialect::mysql : Dialect::mariadb;
    mode.ansi_quotes = random() % 2 == 0;
    mode.no_backslash_escapes = random() % 2 == 0;
    mode.charset = static_cast<TextCharset>(random() % 4);
    const Statement statement = classify(text, "d", mode);
    for (const NameSpan& object : statement.objects) {
      ASSERT_LE(object.begin, object.end);
      ASSERT_LE(object.end, text.size());
    }
    (void)printable(statement, text);
    (void)rewrite(statement, text, [](const TableName& name) { return name; });
  }
}

TEST(Classify, EveryPrefixOfAStatement) {
  const std::string text =
      "CREATE /*!80000 OR REPLACE */ TABLE IF NOT EXISTS `a`.`t` (id INT DEFAULT x'00' COMMENT "
      "'it''s', FOREIGN KEY (id) "
      "REFERENCES b.p (id)) ENGINE=MERGE UNION=(c, d) -- end\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string_view prefix = std::string_view(text).substr(0, length);
    const Statement statement = classify(prefix, "d", kMysql);
    for (const NameSpan& object : statement.objects) ASSERT_LE(object.end, length);
  }
}

}  // namespace
}  // namespace wherry::sql
