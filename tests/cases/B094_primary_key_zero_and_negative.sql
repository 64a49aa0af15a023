-- id: B094
-- kind: snapshot/copy
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb094;
CREATE DATABASE cb094 CHARACTER SET utf8mb4;
USE cb094;
CREATE TABLE floor_no (id BIGINT NOT NULL PRIMARY KEY, v VARCHAR(10));
CREATE TABLE only_zero (id INT NOT NULL PRIMARY KEY, v INT);
CREATE TABLE only_min (id BIGINT NOT NULL PRIMARY KEY, v INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb094;
SET SESSION sql_mode=CONCAT(@@sql_mode,',NO_AUTO_VALUE_ON_ZERO');
INSERT INTO floor_no VALUES (-9223372036854775808,'min'),(-1,'minus'),(0,'zero'),(1,'one'),(2,'two'),(3,'three'),(9223372036854775807,'max');
INSERT INTO only_zero VALUES (0,1);
INSERT INTO only_min VALUES (-9223372036854775808,1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb094;
UPDATE floor_no SET v=CONCAT(v,'+') WHERE id<=0;
INSERT INTO floor_no VALUES (-2,'live');
DELETE FROM floor_no WHERE id=3;
UPDATE only_zero SET v=2;
