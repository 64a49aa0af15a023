-- id: B185
-- kind: config/connect
-- requires: any
-- group: plain
-- needs: max_allowed_packet=67108864

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb185;
CREATE DATABASE cb185 CHARACTER SET utf8mb4;
USE cb185;
CREATE TABLE edge_doc (id INT PRIMARY KEY, t LONGBLOB NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb185;

-- ==== live ====
SET NAMES utf8mb4;
USE cb185;
INSERT INTO edge_doc VALUES (1,REPEAT('x',16777215-40));
INSERT INTO edge_doc VALUES (2,REPEAT('x',16777215-36));
INSERT INTO edge_doc VALUES (3,REPEAT('x',16777215-30));
INSERT INTO edge_doc VALUES (4,REPEAT('x',16777215)),(5,REPEAT('y',10));
UPDATE edge_doc SET t=REPEAT('z',16777216) WHERE id=5;
DELETE FROM edge_doc WHERE id<=2;
UPDATE edge_doc SET t='small' WHERE id=4;
