-- id: B058
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb058;
CREATE DATABASE cb058 CHARACTER SET utf8mb4;
USE cb058;
CREATE TABLE real_t (id INT PRIMARY KEY, v INT);
CREATE TABLE same_name (id INT PRIMARY KEY, v INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb058;
INSERT INTO same_name VALUES (1,1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb058;
START TRANSACTION;
INSERT INTO real_t VALUES (10,1);
CREATE TEMPORARY TABLE tmp_a (id INT);
INSERT INTO tmp_a VALUES (1),(2);
INSERT INTO real_t SELECT id+20, id FROM tmp_a;
DROP TEMPORARY TABLE tmp_a;
COMMIT;
CREATE TEMPORARY TABLE same_name (id INT, other VARCHAR(5));
INSERT INTO same_name VALUES (99,'temp');
DROP TEMPORARY TABLE IF EXISTS same_name;
INSERT INTO same_name VALUES (2,2);
DROP TABLE IF EXISTS never_there;
UPDATE real_t SET v=v+1;
