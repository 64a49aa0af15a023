-- id: B009
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb009;
CREATE DATABASE cb009 CHARACTER SET utf8mb4;
USE cb009;
CREATE TABLE tram_stop (id INT PRIMARY KEY, m MEDIUMINT UNSIGNED NOT NULL, ms MEDIUMINT NOT NULL, KEY (m));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb009;

-- ==== live ====
SET NAMES utf8mb4;
USE cb009;
INSERT INTO tram_stop VALUES (1,8388607,8388607),(2,8388608,-8388608),(3,16777215,-1),(4,0,0),(5,9000000,-7777777);
UPDATE tram_stop SET m=16777214, ms=-2 WHERE m=8388608;
UPDATE tram_stop SET id=id+100 WHERE m>8388607;
DELETE FROM tram_stop WHERE m=16777215;
