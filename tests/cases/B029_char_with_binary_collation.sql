-- id: B029
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb029;
CREATE DATABASE cb029 CHARACTER SET utf8mb4;
USE cb029;
CREATE TABLE lang_row (tag VARCHAR(48) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, lang CHAR(6) COLLATE utf8mb4_bin NULL, unit CHAR(4) COLLATE utf8mb4_bin NULL, zone CHAR(3) CHARACTER SET latin1 COLLATE latin1_bin NULL) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- ==== seed ====
SET NAMES utf8mb4;
USE cb029;
INSERT INTO lang_row VALUES ('s1','cs','mile','CZ'),('s2','c','mi','C'),('s3',NULL,NULL,NULL);

-- ==== live ====
SET NAMES utf8mb4;
USE cb029;
INSERT INTO lang_row VALUES ('n1','pt','cm','PT'),('n2','','',''),('n3','sv-FI','inch','FI');
UPDATE lang_row SET lang='nl', unit='m' WHERE tag='s1';
UPDATE lang_row SET zone='N' WHERE lang='nl';
UPDATE lang_row SET tag='n1b' WHERE lang='pt';
DELETE FROM lang_row WHERE lang='';
