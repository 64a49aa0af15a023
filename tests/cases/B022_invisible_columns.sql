-- id: B022
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb022;
CREATE DATABASE cb022 CHARACTER SET utf8mb4;
USE cb022;
CREATE TABLE member_card (id INT PRIMARY KEY, shown VARCHAR(10), hidden_no INT DEFAULT 5 INVISIBLE, hidden_ts DATETIME(3) DEFAULT '2020-01-02 03:04:05.678' INVISIBLE);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb022;
INSERT INTO member_card (id, shown, hidden_no) VALUES (1,'seed-a',100),(2,'seed-b',200),(3,'seed-c',NULL);

-- ==== live ====
SET NAMES utf8mb4;
USE cb022;
INSERT INTO member_card (id, shown) VALUES (10,'live-a');
INSERT INTO member_card (id, shown, hidden_no) VALUES (11,'live-b',-7);
UPDATE member_card SET hidden_no=hidden_no+1 WHERE id IN (1,10);
ALTER TABLE member_card ADD COLUMN later INT DEFAULT 9 INVISIBLE;
INSERT INTO member_card (id, shown, later) VALUES (12,'live-c',77);
DELETE FROM member_card WHERE id=2;
