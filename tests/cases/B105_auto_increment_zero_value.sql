-- id: B105
-- kind: snapshot/copy
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb105;
CREATE DATABASE cb105 CHARACTER SET utf8mb4;
USE cb105;
CREATE TABLE coupon (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, other VARCHAR(20));
CREATE TABLE coupon_b (k VARCHAR(5) PRIMARY KEY, n INT NOT NULL AUTO_INCREMENT UNIQUE);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb105;
SET SESSION sql_mode=CONCAT(@@sql_mode,',NO_AUTO_VALUE_ON_ZERO');
INSERT INTO coupon VALUES (0,'zero'),(1,'one'),(-3,'neg');
SET SESSION sql_mode=DEFAULT;

-- ==== live ====
SET NAMES utf8mb4;
USE cb105;
SET SESSION sql_mode=CONCAT(@@sql_mode,',NO_AUTO_VALUE_ON_ZERO');
INSERT INTO coupon_b VALUES ('z',0);
UPDATE coupon SET other='still zero' WHERE id=0;
UPDATE coupon SET id=0 WHERE id=7 AND 1=0;
DELETE FROM coupon WHERE id=1; INSERT INTO coupon VALUES (1,'one again');
SET SESSION sql_mode=DEFAULT;
INSERT INTO coupon (other) VALUES ('next');
