-- id: B096
-- kind: snapshot/copy
-- requires: any
-- group: alone
-- needs: option:--chunk-rows=50 option:--rate=8000rows during-copy

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb096;
CREATE DATABASE cb096 CHARACTER SET utf8mb4;
USE cb096;
CREATE TABLE walker (id INT NOT NULL PRIMARY KEY, v VARCHAR(20), n INT NOT NULL DEFAULT 0);
CREATE TABLE digits (d INT PRIMARY KEY);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb096;
INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
INSERT INTO walker (id,v) SELECT 1+a.d+10*b.d+100*c.d+1000*e.d, 'seed' FROM digits a, digits b, digits c, digits e;

-- ==== live ====
SET NAMES utf8mb4;
USE cb096;
UPDATE walker SET v='moved to front', id=-id WHERE id BETWEEN 9990 AND 9999;
UPDATE walker SET id=id+50000 WHERE id BETWEEN 1 AND 10;
UPDATE walker SET id=-5 WHERE id=5000;
UPDATE walker SET id=5000 WHERE id=7000;
DELETE FROM walker WHERE id=50001; INSERT INTO walker (id,v) VALUES (50001,'again');
UPDATE walker SET n=n+1 WHERE id<0;
