-- id: B109
-- kind: snapshot/copy
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb109;
CREATE DATABASE cb109 CHARACTER SET utf8mb4;
USE cb109;
SET NAMES utf8mb4;
CREATE TABLE plan_fr (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, t ENUM('réservé','libère') NOT NULL, s SET('café','thé') NULL, c CHAR(4) NULL) DEFAULT CHARSET=latin1;

-- ==== seed ====
SET NAMES utf8mb4;
USE cb109;
SET NAMES utf8mb4;
INSERT INTO plan_fr (t,s,c) VALUES ('réservé','café','x');

-- ==== live ====
SET NAMES utf8mb4;
USE cb109;
SET NAMES utf8mb4;
INSERT INTO plan_fr (t,s,c) VALUES (2,3,_latin1 x'E9E8FC'),('réservé','thé','ä');
UPDATE plan_fr SET t='libère', s='café,thé' WHERE id=1;
ALTER TABLE plan_fr MODIFY t ENUM('réservé','libère','déjà') CHARACTER SET utf8mb4 NOT NULL;
INSERT INTO plan_fr (t) VALUES ('déjà');
