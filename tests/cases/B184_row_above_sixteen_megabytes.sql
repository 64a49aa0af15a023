-- id: B184
-- kind: config/connect
-- requires: any
-- group: plain
-- needs: max_allowed_packet=67108864

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb184;
CREATE DATABASE cb184 CHARACTER SET utf8mb4;
USE cb184;
CREATE TABLE huge_doc (id INT PRIMARY KEY, a LONGTEXT NULL, b LONGBLOB NULL, c LONGTEXT NULL, n INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb184;
INSERT INTO huge_doc VALUES (1,REPEAT('s',100000),REPEAT(x'FF',9000000),REPEAT('t',9000000),1),(2,NULL,NULL,REPEAT('u',17000000),1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb184;
INSERT INTO huge_doc VALUES (10,REPEAT('a',6000000),REPEAT(x'00',6000000),REPEAT('c',6000000),1);
UPDATE huge_doc SET n=2 WHERE id=10;
UPDATE huge_doc SET b=x'01' WHERE id=1;
DELETE FROM huge_doc WHERE id=2;
