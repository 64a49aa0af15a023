-- id: B069
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb069;
CREATE DATABASE cb069 CHARACTER SET utf8mb4;
USE cb069;
CREATE TABLE invoice (id INT PRIMARY KEY AUTO_INCREMENT, total INT, memo VARCHAR(20));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb069;
INSERT INTO invoice (id,total,memo) VALUES (1,10,'a'),(2,20,'b'),(3,30,'c'),(4,40,'d');

-- ==== live ====
SET NAMES utf8mb4;
USE cb069;
CREATE TABLE `_invoice_ghc` (id BIGINT AUTO_INCREMENT PRIMARY KEY, hint VARCHAR(64) CHARACTER SET ascii NOT NULL, value VARCHAR(200) CHARACTER SET ascii NOT NULL, UNIQUE KEY (hint));
CREATE TABLE `_invoice_gho` LIKE invoice;
ALTER TABLE `_invoice_gho` ADD COLUMN status CHAR(3) NOT NULL DEFAULT 'new' AFTER total, MODIFY memo VARCHAR(60);
INSERT INTO `_invoice_ghc` (hint,value) VALUES ('state','copying');
INSERT IGNORE INTO `_invoice_gho` (id,total,memo) SELECT id,total,memo FROM invoice WHERE id<=2;
UPDATE invoice SET total=total+5 WHERE id=1; REPLACE INTO `_invoice_gho` (id,total,memo) SELECT id,total,memo FROM invoice WHERE id=1;
INSERT INTO invoice (id,total,memo) VALUES (50,50,'during'); REPLACE INTO `_invoice_gho` (id,total,memo) VALUES (50,50,'during');
DELETE FROM invoice WHERE id=3; DELETE FROM `_invoice_gho` WHERE id=3;
INSERT IGNORE INTO `_invoice_gho` (id,total,memo) SELECT id,total,memo FROM invoice WHERE id>2;
CREATE TABLE `_invoice_del` (id INT AUTO_INCREMENT PRIMARY KEY) COMMENT='sentry';
DROP TABLE `_invoice_del`;
RENAME TABLE invoice TO `_invoice_del`, `_invoice_gho` TO invoice;
INSERT INTO invoice (id,total,status,memo) VALUES (60,60,'pay',REPEAT('x',60));
UPDATE invoice SET status='old' WHERE id=2;
DROP TABLE `_invoice_ghc`; DROP TABLE `_invoice_del`;
