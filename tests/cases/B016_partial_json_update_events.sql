-- id: B016
-- kind: decode
-- requires: mysql
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb016;
CREATE DATABASE cb016 CHARACTER SET utf8mb4;
USE cb016;
CREATE TABLE profile (id INT PRIMARY KEY, j JSON NOT NULL, k JSON NULL, pad VARCHAR(40) NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb016;
INSERT INTO profile VALUES (1,'{"name":"long name one","tags":["a","b","c"]}','{"n":1}','p1'),(2,'{"name":"second","tags":["a","b","c"]}','{"n":1}','p2'),(3,'{"name":"third","tags":[]}',NULL,'p3');

-- ==== live ====
SET NAMES utf8mb4;
USE cb016;
SET SESSION binlog_row_value_options='PARTIAL_JSON';
UPDATE profile SET j=JSON_SET(j,'$.name','long name two') WHERE id=1;
UPDATE profile SET j=JSON_REPLACE(j,'$.tags[1]','B'), pad='changed too' WHERE id=1;
UPDATE profile SET j=JSON_REMOVE(j,'$.tags[0]'), k=JSON_SET(k,'$.n',2) WHERE id=2;
UPDATE profile SET j=JSON_SET(j,'$.added',JSON_OBJECT('deep',JSON_ARRAY(1,2,3))) WHERE id=3;
UPDATE profile SET j='{"whole":"replaced"}' WHERE id=3;
SET SESSION binlog_row_value_options='';
UPDATE profile SET j=JSON_SET(j,'$.plain',1) WHERE id=2;
