-- id: B028
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb028;
CREATE DATABASE cb028 CHARACTER SET utf8mb4;
USE cb028;
CREATE TABLE stamp_album (id INT PRIMARY KEY, c1 CHAR(63) CHARACTER SET utf8mb4, c2 CHAR(64) CHARACTER SET utf8mb4, c3 CHAR(255) CHARACTER SET utf8mb4, c4 CHAR(255) CHARACTER SET utf8mb3, c5 CHAR(255) CHARACTER SET latin1, b5 BINARY(255), v1 VARCHAR(63) CHARACTER SET utf8mb4, v2 VARCHAR(64) CHARACTER SET utf8mb4);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb028;

-- ==== live ====
SET NAMES utf8mb4;
USE cb028;
SET NAMES utf8mb4;
INSERT INTO stamp_album VALUES (1,REPEAT(_utf8mb4 x'F09F9880',63),REPEAT(_utf8mb4 x'F09F9880',64),REPEAT(_utf8mb4 x'F09F9880',255),REPEAT(_utf8mb4 x'E282AC',255),REPEAT('z',255),REPEAT(x'AB',255),REPEAT(_utf8mb4 x'F09F9880',63),REPEAT(_utf8mb4 x'F09F9880',64));
INSERT INTO stamp_album VALUES (2,'','','','','','','',''),(3,'a','b','c','d','e','f','g','h'),(4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
UPDATE stamp_album SET c3=REPEAT('y',255), c4='short' WHERE id=1;
UPDATE stamp_album SET c3=c2 WHERE id=3;
DELETE FROM stamp_album WHERE id=4;
