-- id: B057
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb057;
CREATE DATABASE cb057 CHARACTER SET utf8mb4;
USE cb057;
CREATE TABLE src_t (id INT PRIMARY KEY, v VARCHAR(10), d DATETIME(3));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb057;
INSERT INTO src_t VALUES (1,'a','2024-01-01 00:00:00.001'),(2,'b',NULL),(3,NULL,'2024-01-01 00:00:00.999');

-- ==== live ====
SET NAMES utf8mb4;
USE cb057;
CREATE TABLE copy_a AS SELECT id, v, d, id*10 AS tens FROM src_t WHERE id<3;
CREATE TABLE copy_b (extra INT DEFAULT 9, id BIGINT UNSIGNED, PRIMARY KEY (id)) SELECT id, v FROM src_t;
UPDATE copy_b SET extra=id;
INSERT INTO copy_a SELECT id+100, v, d, 0 FROM src_t;
DELETE FROM copy_a WHERE tens=0 AND id=101;
