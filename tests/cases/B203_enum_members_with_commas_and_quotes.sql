-- id: B203
-- kind: encoding/protocol
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb203;
CREATE DATABASE cb203 CHARACTER SET utf8mb4;
USE cb203;
CREATE TABLE menu_opt (id INT PRIMARY KEY, e ENUM('plain','with,comma','it''s quoted','semi;colon') NOT NULL, s SET('x y','p''q','r;s') NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb203;

-- ==== live ====
SET NAMES utf8mb4;
USE cb203;
INSERT INTO menu_opt VALUES (1,'with,comma','x y'),(2,'it''s quoted','p''q,r;s'),(3,'semi;colon',NULL),(4,'plain','');
UPDATE menu_opt SET e='with,comma', s='x y,p''q,r;s' WHERE id=3;
ALTER TABLE menu_opt MODIFY e ENUM('first now','plain','with,comma','it''s quoted','semi;colon') NOT NULL;
INSERT INTO menu_opt VALUES (5,'first now','r;s');
DELETE FROM menu_opt WHERE e='it''s quoted';
