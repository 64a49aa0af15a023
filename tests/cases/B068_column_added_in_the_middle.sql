-- id: B068
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb068;
CREATE DATABASE cb068 CHARACTER SET utf8mb4;
USE cb068;
CREATE TABLE note_book (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, txt MEDIUMTEXT NOT NULL, tag CHAR(12) DEFAULT NULL, hint VARCHAR(80) CHARACTER SET utf8mb4 DEFAULT NULL) DEFAULT CHARSET=utf8mb3;

-- ==== seed ====
SET NAMES utf8mb4;
USE cb068;
INSERT INTO note_book (txt,tag,hint) VALUES ('seed','n0','m0');

-- ==== live ====
SET NAMES utf8mb4;
USE cb068;
INSERT INTO note_book (txt,tag,hint) VALUES ('first body','n1','m1');
ALTER TABLE note_book ADD COLUMN score INT NOT NULL DEFAULT 33 AFTER txt;
INSERT INTO note_book (txt,score,tag,hint) VALUES ('second',44,'n2','m2');
UPDATE note_book SET score=score+1, hint=NULL WHERE tag='n1';
ALTER TABLE note_book MODIFY hint VARCHAR(200) AFTER id, DROP COLUMN tag;
INSERT INTO note_book (hint,txt,score) VALUES ('third','b3',55);
