-- id: B047
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb047;
CREATE DATABASE cb047 CHARACTER SET utf8mb4;
USE cb047;
CREATE TABLE article (id INT PRIMARY KEY, title VARCHAR(30), body TEXT NULL, pic BLOB NULL, n INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb047;
INSERT INTO article VALUES (1,'one','body one',x'0102',1),(2,'two','body two',NULL,1),(3,'three',NULL,x'03',1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb047;
SET SESSION binlog_row_image='NOBLOB';
UPDATE article SET n=n+1;
UPDATE article SET body=NULL WHERE id=1;
UPDATE article SET pic=x'00' WHERE id=2;
INSERT INTO article (id,title,n) VALUES (4,'no body',0);
INSERT INTO article VALUES (5,'with body','text',NULL,0);
DELETE FROM article WHERE id=3;
SET SESSION binlog_row_image='FULL';
UPDATE article SET title='full again' WHERE id=5;
