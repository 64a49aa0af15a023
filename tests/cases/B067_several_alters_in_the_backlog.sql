-- id: B067
-- kind: ddl
-- requires: any
-- group: ddl
-- needs: stopped

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb067;
CREATE DATABASE cb067 CHARACTER SET utf8mb4;
USE cb067;
CREATE TABLE drift (id INT PRIMARY KEY, a VARCHAR(10), b INT, c DATETIME NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb067;
INSERT INTO drift VALUES (1,'one',1,NULL),(2,'two',2,NULL);

-- ==== live ====
SET NAMES utf8mb4;
USE cb067;
INSERT INTO drift VALUES (10,'ten',10,'2024-01-01 00:00:00');
ALTER TABLE drift DROP COLUMN b;
INSERT INTO drift VALUES (11,'eleven','2024-01-02 00:00:00');
ALTER TABLE drift ADD COLUMN b VARCHAR(20) NULL AFTER id;
INSERT INTO drift VALUES (12,'b-text','twelve',NULL);
ALTER TABLE drift MODIFY COLUMN c DATETIME(3) NULL FIRST;
INSERT INTO drift VALUES ('2024-01-03 00:00:00.123',13,'bb','thirteen');
ALTER TABLE drift CHANGE a a_new VARCHAR(30), ADD COLUMN z INT NOT NULL DEFAULT 26;
UPDATE drift SET a_new=CONCAT(a_new,'!'), z=1 WHERE id IN (1,10);
DROP TABLE drift;
CREATE TABLE drift (other INT, id VARCHAR(5) PRIMARY KEY);
INSERT INTO drift VALUES (1,'x'),(2,'y');
