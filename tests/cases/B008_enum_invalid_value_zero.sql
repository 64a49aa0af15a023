-- id: B008
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb008;
CREATE DATABASE cb008 CHARACTER SET utf8mb4;
USE cb008;
CREATE TABLE badge (id INT PRIMARY KEY, e ENUM('red','green') NOT NULL, e2 ENUM('','blank-is-legal') NULL, note VARCHAR(20));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb008;

-- ==== live ====
SET NAMES utf8mb4;
USE cb008;
SET SESSION sql_mode='';
INSERT INTO badge VALUES (1,'red','','ok'),(2,'purple','nope','both invalid -> index 0'),(3,'green',NULL,'ok');
INSERT IGNORE INTO badge VALUES (4,0,2,'zero by number');
UPDATE badge SET e='violet' WHERE id=3;
UPDATE badge SET note='touched', e='green' WHERE id=2;
SET SESSION sql_mode=DEFAULT;
