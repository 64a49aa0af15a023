-- id: B111
-- kind: snapshot/copy
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb111;
CREATE DATABASE cb111 CHARACTER SET utf8mb4;
USE cb111;
CREATE TABLE shop_doc (id INT UNSIGNED PRIMARY KEY, j JSON NOT NULL, b BLOB NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb111;
INSERT INTO shop_doc VALUES (1,'{"open": true, "label": "corner"}',NULL),(2,'["\\u00e9"]',x'00'),(3,'1',NULL);

-- ==== live ====
SET NAMES utf8mb4;
USE cb111;
INSERT INTO shop_doc VALUES (10,'{"open": false, "label": "price \\u20ac and \\ud83d\\ude00"}',x'7B7D');
UPDATE shop_doc SET j=JSON_SET(j,'$.q','quote " back \\ slash') WHERE id=1;
UPDATE shop_doc SET b=x'FF' WHERE id=2;
DELETE FROM shop_doc WHERE id=3;
