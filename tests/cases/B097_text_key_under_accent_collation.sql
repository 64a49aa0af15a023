-- id: B097
-- kind: snapshot/copy
-- requires: any
-- group: plain
-- needs: option:--chunk-rows=2

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb097;
CREATE DATABASE cb097 CHARACTER SET utf8mb4;
USE cb097;
CREATE TABLE word_key (w VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL PRIMARY KEY, n INT NOT NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb097;
SET NAMES utf8mb4;
INSERT INTO word_key VALUES ('a',1),('B',2),('c',3),('D',4),('eclair',5),(_utf8mb4 x'C3B1',6),('n~',7),('zebra',8),('_',9),('-',10),('10',11),('9',12);

-- ==== live ====
SET NAMES utf8mb4;
USE cb097;
SET NAMES utf8mb4;
UPDATE word_key SET n=n+100 WHERE w='B';
UPDATE word_key SET w=_utf8mb4 x'C3A9636C616972' WHERE w='eclair';
INSERT INTO word_key VALUES ('zz',50),('Aa',51),(_utf8mb4 x'C39F',52);
DELETE FROM word_key WHERE w='c ';
UPDATE word_key SET w='ZEBRA' WHERE w='zebra';
