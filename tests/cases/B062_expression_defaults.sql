-- id: B062
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb062;
CREATE DATABASE cb062 CHARACTER SET utf8mb4;
USE cb062;
CREATE TABLE dflt_a (id INT PRIMARY KEY, d DATE NOT NULL DEFAULT (CURDATE()), u CHAR(36) NOT NULL DEFAULT (UUID()), n INT DEFAULT (1+2*3), t VARCHAR(20) DEFAULT (CONCAT('a', ')', ';')));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb062;

-- ==== live ====
SET NAMES utf8mb4;
USE cb062;
INSERT INTO dflt_a (id) VALUES (1),(2);
ALTER TABLE dflt_a ADD COLUMN s VARCHAR(30) DEFAULT (LEFT('xyz',2)) AFTER id;
INSERT INTO dflt_a (id,n) VALUES (3,NULL);
CREATE TABLE dflt_b (id INT PRIMARY KEY, at DATE DEFAULT (CURDATE() + INTERVAL 1 DAY), j VARCHAR(40) DEFAULT (CONCAT('{"k": "', 'v', '"}')));
INSERT INTO dflt_b (id) VALUES (1);
UPDATE dflt_a SET s='touched' WHERE id=2;
