-- id: B146
-- kind: apply/ordering
-- requires: any
-- group: keyless

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb146;
CREATE DATABASE cb146 CHARACTER SET utf8mb4;
USE cb146;
CREATE TABLE nokey_doc (grp INT, j JSON NULL);
CREATE TABLE key_doc (id INT PRIMARY KEY, j JSON NULL, KEY (id));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb146;

-- ==== live ====
SET NAMES utf8mb4;
USE cb146;
INSERT INTO nokey_doc VALUES (1,'{}'),(1,'{"a": [1, 2]}'),(2,'[3]'),(2,NULL);
INSERT INTO key_doc VALUES (1,'{}'),(2,'{"b": 1}'),(3,NULL);
UPDATE nokey_doc SET j='["x","y"]' WHERE grp=1 AND JSON_LENGTH(j)=0;
DELETE FROM nokey_doc WHERE j IS NULL;
DELETE FROM nokey_doc WHERE grp=2;
UPDATE key_doc SET j='{"b": 2}' WHERE id=2;
DELETE FROM key_doc WHERE id=1;
