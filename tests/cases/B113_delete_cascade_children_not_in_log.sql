-- id: B113
-- kind: snapshot/copy
-- requires: any
-- group: foreign-keys

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb113;
CREATE DATABASE cb113 CHARACTER SET utf8mb4;
USE cb113;
CREATE TABLE cust (id INT PRIMARY KEY, name VARCHAR(10));
CREATE TABLE addr (id INT PRIMARY KEY, cust_id INT NOT NULL, FOREIGN KEY (cust_id) REFERENCES cust (id) ON DELETE CASCADE);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb113;
INSERT INTO cust VALUES (1,'a'),(2,'b'),(3,'c'); INSERT INTO addr VALUES (11,1),(21,2),(22,2),(31,3);

-- ==== live ====
SET NAMES utf8mb4;
USE cb113;
DELETE FROM cust WHERE id=2;
INSERT INTO cust VALUES (10,'ten'); INSERT INTO addr VALUES (100,10),(101,10),(102,1);
DELETE FROM cust WHERE id=10;
UPDATE cust SET name='kept' WHERE id=3;
