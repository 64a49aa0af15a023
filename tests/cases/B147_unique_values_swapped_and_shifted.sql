-- id: B147
-- kind: apply/ordering
-- requires: any
-- group: plain
-- needs: option:--lanes=4

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb147;
CREATE DATABASE cb147 CHARACTER SET utf8mb4;
USE cb147;
CREATE TABLE seat_no (id INT PRIMARY KEY, u VARCHAR(10) NOT NULL, n INT NOT NULL, UNIQUE KEY (u), UNIQUE KEY (n));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb147;
INSERT INTO seat_no VALUES (1,'A',1),(2,'B',2),(3,'C',3),(4,'D',4);

-- ==== live ====
SET NAMES utf8mb4;
USE cb147;
START TRANSACTION; UPDATE seat_no SET u='~' WHERE id=1; UPDATE seat_no SET u='A' WHERE id=2; UPDATE seat_no SET u='B' WHERE id=1; COMMIT;
UPDATE seat_no SET n=n+1 ORDER BY n DESC;
UPDATE seat_no SET n=n-1 ORDER BY n ASC;
START TRANSACTION; DELETE FROM seat_no WHERE id=3; INSERT INTO seat_no VALUES (30,'C',3); DELETE FROM seat_no WHERE id=30; INSERT INTO seat_no VALUES (3,'C2',3); COMMIT;
UPDATE seat_no SET id=id+10 ORDER BY id DESC;
REPLACE INTO seat_no VALUES (99,'D',1);
INSERT INTO seat_no VALUES (98,'D',50) ON DUPLICATE KEY UPDATE n=51;
