-- id: B043
-- kind: decode
-- requires: mysql
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb043;
CREATE DATABASE cb043 CHARACTER SET utf8mb4;
USE cb043;
CREATE TABLE embed (id INT PRIMARY KEY AUTO_INCREMENT, v VECTOR(3) NULL, w VECTOR(64) NULL, tag VARCHAR(8));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb043;
INSERT INTO embed (v,tag) VALUES (STRING_TO_VECTOR('[1,2,3]'),'seed');

-- ==== live ====
SET NAMES utf8mb4;
USE cb043;
INSERT INTO embed (v,tag) VALUES (STRING_TO_VECTOR('[0.25, -3.5, 77]'),'live'),(NULL,'null'),(STRING_TO_VECTOR('[0,0,0]'),'zero');
UPDATE embed SET v=STRING_TO_VECTOR('[1e-30, -1e30, 0.1]') WHERE id=1;
UPDATE embed SET tag='t2' WHERE tag='live';
DELETE FROM embed WHERE v IS NULL;
