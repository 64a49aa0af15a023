-- id: B063
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb063;
CREATE DATABASE cb063 CHARACTER SET utf8mb4;
USE cb063;
CREATE TABLE quiet (id INT PRIMARY KEY, v INT, KEY kv (v));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb063;

-- ==== live ====
SET NAMES utf8mb4;
USE cb063;
INSERT INTO quiet VALUES (1,1);
FLUSH TABLES;
ANALYZE TABLE quiet;
OPTIMIZE TABLE quiet;
INSERT INTO quiet VALUES (2,2);
ALTER TABLE quiet ENGINE=InnoDB;
ALTER TABLE quiet FORCE;
FLUSH BINARY LOGS;
CREATE VIEW quiet_v AS SELECT id FROM quiet;
DROP VIEW quiet_v;
CREATE PROCEDURE quiet_p() UPDATE quiet SET v=v+1;
CALL quiet_p();
DROP PROCEDURE quiet_p;
CREATE TRIGGER quiet_t BEFORE INSERT ON quiet FOR EACH ROW SET NEW.v = NEW.v*2;
INSERT INTO quiet VALUES (3,3);
DROP TRIGGER quiet_t;
DELETE FROM quiet WHERE id=1;
