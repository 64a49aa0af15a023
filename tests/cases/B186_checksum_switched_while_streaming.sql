-- id: B186
-- kind: config/connect
-- requires: any
-- group: alone
-- needs: globals

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb186;
CREATE DATABASE cb186 CHARACTER SET utf8mb4;
USE cb186;
CREATE TABLE cs_t (id INT PRIMARY KEY, v VARCHAR(20));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb186;

-- ==== live ====
SET NAMES utf8mb4;
USE cb186;
SET @cs0 := @@GLOBAL.binlog_checksum;
SET GLOBAL binlog_checksum='NONE';
INSERT INTO cs_t VALUES (1,'no checksum');
FLUSH BINARY LOGS;
INSERT INTO cs_t VALUES (2,'still none');
SET GLOBAL binlog_checksum='CRC32';
INSERT INTO cs_t VALUES (3,'crc32');
FLUSH BINARY LOGS;
UPDATE cs_t SET v=CONCAT(v,'.');
SET GLOBAL binlog_checksum=@cs0;
DELETE FROM cs_t WHERE id=2;
