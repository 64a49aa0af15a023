-- id: B073
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb073;
CREATE DATABASE cb073 CHARACTER SET utf8mb4;
USE cb073;
CREATE TABLE doc_gen (id INT PRIMARY KEY, attrs TEXT, k1 VARCHAR(20) AS (JSON_UNQUOTE(JSON_EXTRACT(attrs,'$.sku'))) VIRTUAL, k2 VARCHAR(20) CHARACTER SET utf8mb4 AS (JSON_UNQUOTE(JSON_EXTRACT(attrs,'$.bin'))) STORED, KEY (k2));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb073;
INSERT INTO doc_gen (id,attrs) VALUES (1,'{"sku": 1}'),(2,'{"sku": 2, "bin": "gone"}');

-- ==== live ====
SET NAMES utf8mb4;
USE cb073;
INSERT INTO doc_gen (id,attrs) VALUES (10,'{"sku": 7, "bin": "live"}'),(11,NULL);
UPDATE doc_gen SET attrs='{"bin": "moved"}' WHERE id=1;
DELETE FROM doc_gen WHERE k2='gone';
UPDATE doc_gen SET id=id+100 WHERE k1='7';
