-- id: B053
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb053;
CREATE DATABASE cb053 CHARACTER SET utf8mb4;
USE cb053;
CREATE TABLE before_change (id INT PRIMARY KEY, v VARCHAR(10));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb053;

-- ==== live ====
SET NAMES utf8mb4;
USE cb053;
SET NAMES utf8mb4;
ALTER DATABASE CHARACTER SET = latin1 COLLATE = latin1_swedish_ci;
CREATE TABLE inherits_latin1 (id INT PRIMARY KEY, v VARCHAR(10));
INSERT INTO inherits_latin1 VALUES (1,_utf8mb4 x'C3A9');
INSERT INTO before_change VALUES (1,_utf8mb4 x'C3A9');
ALTER DATABASE CHARACTER SET = utf8mb4 COLLATE = utf8mb4_general_ci;
CREATE TABLE inherits_utf8 (id INT PRIMARY KEY, v VARCHAR(10));
INSERT INTO inherits_utf8 VALUES (1,_utf8mb4 x'F09F9880');
UPDATE inherits_latin1 SET v=CONCAT(v,_utf8mb4 x'C3BC');
