-- id: B150
-- kind: apply/ordering
-- requires: any
-- group: alone

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb150;
CREATE DATABASE cb150 CHARACTER SET utf8mb4;
USE cb150;
CREATE TABLE beat (id INT PRIMARY KEY, ts VARCHAR(30), n INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb150;

-- ==== live ====
SET NAMES utf8mb4;
USE cb150;
SET SESSION binlog_format='STATEMENT';
INSERT INTO beat VALUES (1,'statement insert',1);
UPDATE beat SET n=n+1 WHERE id=1;
SET SESSION binlog_format='ROW';
INSERT INTO beat VALUES (2,'row insert',1);
