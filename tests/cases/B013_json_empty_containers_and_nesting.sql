-- id: B013
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb013;
CREATE DATABASE cb013 CHARACTER SET utf8mb4;
USE cb013;
CREATE TABLE parsed (id INT PRIMARY KEY, j JSON NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb013;

-- ==== live ====
SET NAMES utf8mb4;
USE cb013;
INSERT INTO parsed VALUES (1,'{}'),(2,'[]'),(3,'{"a":{}}'),(4,'[[],[{}],{"":[]}]'),(5,'{"":""}'),(6,'true'),(7,'null'),(8,NULL),(9,'-1'),(10,'9223372036854775807'),(11,'18446744073709551615'),(12,'1e300'),(13,'"\\u0000\\u001f\\"\\\\\\/"');
INSERT INTO parsed SELECT 20, CONCAT('{"big":"', REPEAT('q', 70000), '","list":[', REPEAT('1,', 9000), '2]}');
INSERT INTO parsed SELECT 21, CONCAT('{', '"k0":0', '}');
UPDATE parsed SET j='[{"deep":[[[[[[1]]]]]]}]' WHERE id=1;
UPDATE parsed SET j='{}' WHERE id=20;
DELETE FROM parsed WHERE id=8;
