-- id: B011
-- kind: decode
-- requires: mariadb
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb011;
CREATE DATABASE cb011 CHARACTER SET utf8mb4;
USE cb011;
CREATE TABLE basket (id INT PRIMARY KEY, doc JSON NOT NULL, extra JSON NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb011;

-- ==== live ====
SET NAMES utf8mb4;
USE cb011;
INSERT INTO basket VALUES (1,'{"k": 1, "spaces":   "kept"}',NULL),(2,'[]','{}'),(3,'"just text"','null'),(4,'15.0','{"a": 15.0, "a": 2}');
UPDATE basket SET doc=JSON_SET(doc,'$.k',2) WHERE id=1;
UPDATE basket SET extra='[1,2,3]' WHERE id=2;
DELETE FROM basket WHERE id=3;
