-- id: B071
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb071;
CREATE DATABASE cb071 CHARACTER SET utf8mb4;
USE cb071;
CREATE TABLE gen_case (id INT PRIMARY KEY, First_Name VARCHAR(10), Last_Name VARCHAR(10), `Full Name` VARCHAR(25) AS (CONCAT(First_Name,' ',Last_Name)) VIRTUAL, LEN_S INT AS (CHAR_LENGTH(First_Name)) STORED, KEY (LEN_S));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb071;
INSERT INTO gen_case (id,First_Name,Last_Name) VALUES (1,'Ann','Sample'),(2,'Bo','Test'),(3,'Cy',NULL);

-- ==== live ====
SET NAMES utf8mb4;
USE cb071;
INSERT INTO gen_case (id,First_Name,Last_Name) VALUES (10,'Zoe','Example');
UPDATE gen_case SET First_Name='Alexandra' WHERE id=1;
UPDATE gen_case SET Last_Name=NULL WHERE LEN_S=3;
ALTER TABLE gen_case ADD COLUMN Extra INT AS (id*2) VIRTUAL AFTER id;
INSERT INTO gen_case (id,First_Name,Last_Name) VALUES (11,'','');
DELETE FROM gen_case WHERE id=2;
