-- id: B103
-- kind: snapshot/copy
-- requires: any
-- group: plain
-- needs: chunks=1,2,999,1000,1001

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb103;
CREATE DATABASE cb103 CHARACTER SET utf8mb4;
USE cb103;
CREATE TABLE gappy (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, v INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb103;
CREATE TABLE dg (d INT PRIMARY KEY);
INSERT INTO dg VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
INSERT INTO gappy SELECT a.d+10*b.d+100*c.d+1000*e.d, 0 FROM dg a, dg b, dg c, dg e WHERE (a.d+10*b.d+100*c.d) IN (0,1,2,998,999) OR e.d=3;
INSERT INTO gappy VALUES (2098765431,0),(2098765432,0),(2098765433,0),(18446744073709551615,0);

-- ==== live ====
SET NAMES utf8mb4;
USE cb103;
DELETE FROM gappy WHERE id IN (1000,2000,3001);
INSERT INTO gappy VALUES (1001,1),(1999,1),(3000,1),(4001,1) ON DUPLICATE KEY UPDATE v=v+1;
UPDATE gappy SET v=v+1 WHERE id MOD 1000 IN (0,1,999);
