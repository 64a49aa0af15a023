-- id: B015
-- kind: decode
-- requires: mysql
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb015;
CREATE DATABASE cb015 CHARACTER SET utf8mb4;
USE cb015;
CREATE TABLE price_doc (id INT PRIMARY KEY, j JSON NOT NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb015;

-- ==== live ====
SET NAMES utf8mb4;
USE cb015;
INSERT INTO price_doc VALUES (1,'{"amount": 15.0}'),(2,'{"amount": 15}'),(3,'[1.0, 1, 1e0, -0.0, 100000000000000000000.0]');
UPDATE price_doc SET j=JSON_SET(j,'$.amount', 16.0e0) WHERE id=1;
UPDATE price_doc SET j=JSON_SET(j,'$.amount', 16) WHERE id=2;
DELETE FROM price_doc WHERE id=3;
INSERT INTO price_doc VALUES (4,'{"z": 0.0}');
