-- id: B056
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb056;
CREATE DATABASE cb056 CHARACTER SET utf8mb4;
USE cb056;
CREATE TABLE quoted_one (id INT PRIMARY KEY, v VARCHAR(10));
CREATE TABLE quoted_two (id INT PRIMARY KEY);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb056;

-- ==== live ====
SET NAMES utf8mb4;
USE cb056;
SET SESSION sql_mode='ANSI_QUOTES,PIPES_AS_CONCAT';
ALTER TABLE "quoted_one" ADD COLUMN "a b" INT NOT NULL DEFAULT 4 COMMENT 'say "hi"';
CREATE TABLE "made ""ansi""" ("id" INT PRIMARY KEY, "select" VARCHAR(9) DEFAULT 'x''y');
INSERT INTO "made ""ansi""" ("id") VALUES (1);
DROP TABLE "quoted_two";
SET SESSION sql_mode=DEFAULT;
INSERT INTO quoted_one (id,v) VALUES (1,'p'),(2,'q');
UPDATE quoted_one SET `a b`=5 WHERE id=2;
