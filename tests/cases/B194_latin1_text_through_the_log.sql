-- id: B194
-- kind: encoding/protocol
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb194;
CREATE DATABASE cb194 CHARACTER SET utf8mb4;
USE cb194;
CREATE TABLE gast (id INT PRIMARY KEY, n VARCHAR(40) CHARACTER SET latin1 NOT NULL, t TEXT CHARACTER SET latin1, k CHAR(5) CHARACTER SET latin1, KEY (n)) DEFAULT CHARSET=latin1;

-- ==== seed ====
SET NAMES utf8mb4;
USE cb194;
INSERT INTO gast VALUES (1,_latin1 x'DC62756E67','seed',NULL),(2,_latin1 x'54E5','x','y');

-- ==== live ====
SET NAMES utf8mb4;
USE cb194;
SET NAMES utf8mb4;
INSERT INTO gast VALUES (10,_latin1 x'4E75F1657A',_latin1 x'EAEEF4FBD6D0',_latin1 x'FC');
UPDATE gast SET n=_latin1 x'F2626C61' WHERE id=1;
UPDATE gast SET t=CONCAT(t,_latin1 x'A3') WHERE n=_latin1 x'4E75F1657A';
DELETE FROM gast WHERE n=_latin1 x'54E5';
