-- id: B045
-- kind: decode
-- requires: any
-- group: keyless

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb045;
CREATE DATABASE cb045 CHARACTER SET utf8mb4;
USE cb045;
CREATE TABLE sensor (dev INT, f FLOAT, d DOUBLE, fp FLOAT(30,5));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb045;

-- ==== live ====
SET NAMES utf8mb4;
USE cb045;
INSERT INTO sensor VALUES (1,2.72,2.72,271.82818),(2,0.1,0.1,0.3),(3,1.17549e-38,2.2250738585072014e-308,1),(4,3.40282e38,1.7976931348623157e308,123456.789),(5,16777217,9007199254740993,-0.000001),(6,NULL,NULL,NULL),(7,8.12345e37,-0e0,0);
UPDATE sensor SET dev=10 WHERE dev=1;
UPDATE sensor SET f=f*3, d=d/3 WHERE dev=2;
DELETE FROM sensor WHERE dev=10;
DELETE FROM sensor WHERE dev=7;
UPDATE sensor SET fp=fp+0.1 WHERE dev=4;
DELETE FROM sensor WHERE dev=6;
