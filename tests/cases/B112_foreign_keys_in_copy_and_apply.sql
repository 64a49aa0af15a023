-- id: B112
-- kind: snapshot/copy
-- requires: any
-- group: foreign-keys

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb112;
CREATE DATABASE cb112 CHARACTER SET utf8mb4;
USE cb112;
CREATE TABLE zz_parent (id INT PRIMARY KEY, v INT);
CREATE TABLE aa_child (id INT PRIMARY KEY, pid INT NOT NULL, self_id INT NULL, CONSTRAINT fk1 FOREIGN KEY (pid) REFERENCES zz_parent (id), CONSTRAINT fk2 FOREIGN KEY (self_id) REFERENCES aa_child (id));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb112;
INSERT INTO zz_parent VALUES (1,1),(2,2),(3,3); INSERT INTO aa_child VALUES (1,1,NULL),(2,2,1),(3,3,NULL); UPDATE aa_child SET self_id=NULL WHERE id=2;

-- ==== live ====
SET NAMES utf8mb4;
USE cb112;
START TRANSACTION; INSERT INTO zz_parent VALUES (50,0); INSERT INTO aa_child VALUES (50,50,NULL),(51,50,50); COMMIT;
INSERT INTO aa_child VALUES (52,1,51);
DELETE FROM aa_child WHERE id=3;
DELETE FROM zz_parent WHERE id=3;
UPDATE aa_child SET self_id=52 WHERE id=1;
START TRANSACTION; DELETE FROM aa_child WHERE id=2; DELETE FROM zz_parent WHERE id=2; INSERT INTO zz_parent VALUES (2,22); INSERT INTO aa_child VALUES (2,2,NULL); COMMIT;
