-- id: B035
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb035;
CREATE DATABASE cb035 CHARACTER SET utf8mb4;
USE cb035;
CREATE TABLE toggle (id INT PRIMARY KEY, t1 TINYINT(1) NOT NULL, t1u TINYINT(1) UNSIGNED NULL, bl BOOLEAN NULL, b1 BIT(1) NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb035;

-- ==== live ====
SET NAMES utf8mb4;
USE cb035;
INSERT INTO toggle VALUES (1,2,255,-128,b'1'),(2,-128,128,127,b'0'),(3,0,0,0,NULL),(4,1,1,1,b'1');
UPDATE toggle SET t1=t1+1 WHERE id IN (1,3);
UPDATE toggle SET bl=-1, b1=b'1' WHERE id=2;
DELETE FROM toggle WHERE t1=1 AND id=4;
