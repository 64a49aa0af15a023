-- id: B052
-- kind: ddl
-- requires: mariadb
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb052;
CREATE DATABASE cb052 CHARACTER SET utf8mb4;
USE cb052;
CREATE TABLE code_list (id INT PRIMARY KEY, extra7 VARCHAR(50), a6 INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb052;
INSERT INTO code_list VALUES (1,'n',1);

-- ==== live ====
SET NAMES utf8mb4;
USE cb052;
ALTER TABLE code_list MODIFY COLUMN code_list.extra7 VARCHAR(400);
INSERT INTO code_list VALUES (2,REPEAT('w',400),6);
ALTER TABLE code_list CHANGE COLUMN code_list.a6 a6_renamed BIGINT FIRST, ALGORITHM=COPY, LOCK=SHARED;
INSERT INTO code_list (id,a6_renamed) VALUES (3,9223372036854775807);
ALTER TABLE code_list ALTER COLUMN a6_renamed SET DEFAULT -4;
INSERT INTO code_list (id,extra7) VALUES (4,'d');
UPDATE code_list SET extra7=NULL WHERE id=1;
