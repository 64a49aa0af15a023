-- id: B051
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb051;
CREATE DATABASE cb051 CHARACTER SET utf8mb4;
USE cb051;
CREATE TABLE `_shop_new` (id INT PRIMARY KEY, label VARCHAR(10) NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb051;

-- ==== live ====
SET NAMES utf8mb4;
USE cb051;
ALTER TABLE `_shop_new` CHANGE `label` `label` VARCHAR(48) NOT NULL DEFAULT _utf8mb4'' COMMENT 'it''s "quoted"; -- not a comment';
ALTER TABLE `_shop_new` ADD COLUMN k CHAR(2) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT _latin1 x'E9', ADD COLUMN b VARBINARY(4) NOT NULL DEFAULT x'00FF';
INSERT INTO `_shop_new` (id) VALUES (1);
INSERT INTO `_shop_new` (id,label) VALUES (2,'x');
UPDATE `_shop_new` SET k='z' WHERE id=2;
