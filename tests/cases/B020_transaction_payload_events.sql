-- id: B020
-- kind: decode
-- requires: mysql
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb020;
CREATE DATABASE cb020 CHARACTER SET utf8mb4;
USE cb020;
CREATE TABLE cart_line (id INT PRIMARY KEY, qty INT, txt VARCHAR(400));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb020;

-- ==== live ====
SET NAMES utf8mb4;
USE cb020;
SET SESSION binlog_transaction_compression=ON;
INSERT INTO cart_line VALUES (1,1,REPEAT('a',300)),(2,2,REPEAT('b',300)),(3,3,REPEAT('c',300));
START TRANSACTION; UPDATE cart_line SET qty=qty+1; DELETE FROM cart_line WHERE id=2; INSERT INTO cart_line VALUES (4,4,NULL); COMMIT;
SET SESSION binlog_transaction_compression=OFF;
UPDATE cart_line SET qty=100 WHERE id=4;
