-- id: B134
-- kind: resume
-- requires: any
-- group: alone
-- needs: server:binlog-row-event-max-size=256 kills

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb134;
CREATE DATABASE cb134 CHARACTER SET utf8mb4;
USE cb134;
CREATE TABLE multi_ev (id INT PRIMARY KEY, pad VARCHAR(2000));
CREATE TABLE other_ev (id INT PRIMARY KEY, v INT);
CREATE TABLE dg4 (d INT PRIMARY KEY);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb134;
INSERT INTO dg4 VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);

-- ==== live ====
SET NAMES utf8mb4;
USE cb134;
INSERT INTO multi_ev SELECT 1+a.d+10*b.d+100*c.d, REPEAT('r',1800) FROM dg4 a, dg4 b, dg4 c;
START TRANSACTION; UPDATE multi_ev SET pad=CONCAT(pad,'-u') WHERE id<=500; INSERT INTO other_ev VALUES (1,1); UPDATE multi_ev SET pad='short' WHERE id>900; DELETE FROM multi_ev WHERE id BETWEEN 600 AND 700; COMMIT;
UPDATE multi_ev m JOIN other_ev o SET m.pad='joined', o.v=o.v+1 WHERE m.id<=20;
