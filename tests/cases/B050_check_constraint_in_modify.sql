-- id: B050
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb050;
CREATE DATABASE cb050 CHARACTER SET utf8mb4;
USE cb050;
CREATE TABLE seller (id INT PRIMARY KEY, name VARCHAR(20) NULL, qty INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb050;
INSERT INTO seller VALUES (1,'aa',1),(2,'bb',2),(3,NULL,3);

-- ==== live ====
SET NAMES utf8mb4;
USE cb050;
UPDATE seller SET name='unnamed' WHERE name IS NULL;
ALTER TABLE seller MODIFY name VARCHAR(36) NOT NULL CHECK (name <> '');
ALTER TABLE seller ADD CONSTRAINT qty_band CHECK (qty BETWEEN -5 AND 500 AND (name <> 'a,b' OR qty > 0));
INSERT INTO seller VALUES (4,'paren ) quote '' end',5);
ALTER TABLE seller DROP CONSTRAINT qty_band;
INSERT INTO seller VALUES (5,'wide',10000);
UPDATE seller SET qty=0 WHERE id=1;
