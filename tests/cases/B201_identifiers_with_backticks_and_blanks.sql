-- id: B201
-- kind: encoding/protocol
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb201;
CREATE DATABASE cb201 CHARACTER SET utf8mb4;
USE cb201;
CREATE TABLE `or``bit a-l` (`c``1` INT PRIMARY KEY, `c 2` INT, `sel.ect` VARCHAR(10), `100%` INT, `$d'q"` INT);
CREATE TABLE `select` (`from` INT PRIMARY KEY, `where` VARCHAR(5), `ord;er` INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb201;
INSERT INTO `or``bit a-l` VALUES (1,1,'s',1,1); INSERT INTO `select` VALUES (1,'v',1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb201;
INSERT INTO `or``bit a-l` VALUES (10,2,'x',3,4);
UPDATE `or``bit a-l` SET `c 2`=`c 2`+1, `100%`=5, `$d'q"`=6 WHERE `c``1`=1;
INSERT INTO `select` VALUES (2,'w',NULL);
ALTER TABLE `or``bit a-l` ADD COLUMN `new``col``` INT NULL AFTER `c 2`;
INSERT INTO `or``bit a-l` (`c``1`,`new``col```) VALUES (11,7);
RENAME TABLE `select` TO `or``der by`;
DELETE FROM `or``der by` WHERE `from`=1;
