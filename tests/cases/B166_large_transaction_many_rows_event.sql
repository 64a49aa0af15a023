-- id: B166
-- kind: memory
-- requires: any
-- group: alone
-- needs: option:--memory=64MiB kills

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb166;
CREATE DATABASE cb166 CHARACTER SET utf8mb4;
USE cb166;
CREATE TABLE bulk_t (id INT PRIMARY KEY, a INT, pad CHAR(60) NOT NULL DEFAULT 'pad', KEY (a));
CREATE TABLE dg3 (d INT PRIMARY KEY);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb166;
INSERT INTO dg3 VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);

-- ==== live ====
SET NAMES utf8mb4;
USE cb166;
START TRANSACTION;
INSERT INTO bulk_t (id,a) SELECT 1+a.d+10*b.d+100*c.d+1000*e.d+10000*f.d, a.d FROM dg3 a, dg3 b, dg3 c, dg3 e, dg3 f WHERE f.d<4;
UPDATE bulk_t SET a=a+1, pad=REPEAT('q',60);
DELETE FROM bulk_t WHERE id MOD 7=0;
UPDATE bulk_t SET id=id+1000000 WHERE id MOD 1000=1;
COMMIT;
UPDATE bulk_t SET pad='small' WHERE id<50;
