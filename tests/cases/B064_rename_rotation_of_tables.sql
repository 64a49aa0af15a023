-- id: B064
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb064;
CREATE DATABASE cb064 CHARACTER SET utf8mb4;
USE cb064;
CREATE TABLE rot_a (id BIGINT PRIMARY KEY, b INT);
CREATE TABLE rot_b (id BIGINT PRIMARY KEY, b INT, only_b VARCHAR(5) DEFAULT 'ob');

-- ==== seed ====
SET NAMES utf8mb4;
USE cb064;
INSERT INTO rot_a VALUES (1,1); INSERT INTO rot_b (id,b) VALUES (2,2);

-- ==== live ====
SET NAMES utf8mb4;
USE cb064;
INSERT INTO rot_a VALUES (31,7);
INSERT INTO rot_b (id,b) VALUES (32,8);
RENAME TABLE rot_a TO rot_c, rot_b TO rot_a, rot_c TO rot_b;
INSERT INTO rot_a (id,b,only_b) VALUES (7,8,'new-a');
INSERT INTO rot_b VALUES (9,10);
ALTER TABLE rot_b RENAME TO rot_d;
RENAME TABLE rot_a TO rot_b;
UPDATE rot_b SET b=b+1;
DELETE FROM rot_d WHERE id=31;
