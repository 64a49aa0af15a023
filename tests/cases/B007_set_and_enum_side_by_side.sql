-- id: B007
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb007;
CREATE DATABASE cb007 CHARACTER SET utf8mb4;
USE cb007;
CREATE TABLE kiosk (id INT PRIMARY KEY, e ENUM('low','mid','high') NOT NULL, s SET('low','mid','high') NOT NULL, e2 ENUM('1','2','3') NULL, s2 SET('1','2','4') NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb007;

-- ==== live ====
SET NAMES utf8mb4;
USE cb007;
INSERT INTO kiosk VALUES (1,'high','high','3','4'),(2,'low','low,mid','1','1,2'),(3,'mid','','2',''),(4,'high','low,mid,high',NULL,NULL),(5,'low','low,high','2','2,4');
UPDATE kiosk SET e='mid', s='mid,high', e2='1', s2='4' WHERE id=2;
UPDATE kiosk SET s=5, s2=3 WHERE id=4;
DELETE FROM kiosk WHERE e2='2' AND s2='';
