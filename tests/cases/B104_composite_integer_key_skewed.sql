-- id: B104
-- kind: snapshot/copy
-- requires: any
-- group: plain
-- needs: option:--chunk-rows=3

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb104;
CREATE DATABASE cb104 CHARACTER SET utf8mb4;
USE cb104;
CREATE TABLE tag_map (grp_no INT NOT NULL, tag_no INT UNSIGNED NOT NULL, flag CHAR(1) NOT NULL, v INT, PRIMARY KEY (grp_no, tag_no, flag));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb104;
CREATE TABLE dg2 (d INT PRIMARY KEY);
INSERT INTO dg2 VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
INSERT INTO tag_map SELECT 41, 1+a.d+10*b.d+100*c.d, 'x', 0 FROM dg2 a, dg2 b, dg2 c;
INSERT INTO tag_map VALUES (-1,1,'n',1),(-1,2,'n',1),(0,1,'m',1),(62,1,'a',1),(62,1,'B',1),(62,2,'a',1),(2147483647,4294967294,'q',1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb104;
UPDATE tag_map SET v=v+1 WHERE grp_no=41;
UPDATE tag_map SET tag_no=tag_no+1000000 WHERE grp_no=62 AND tag_no<5;
DELETE FROM tag_map WHERE grp_no=-1;
INSERT INTO tag_map VALUES (41,0,'a',1),(41,4294967295,'B',1),(0,0,'z',1);
UPDATE tag_map SET flag='Y' WHERE grp_no=0;
