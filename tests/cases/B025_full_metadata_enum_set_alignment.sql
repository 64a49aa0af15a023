-- id: B025
-- kind: decode
-- requires: any
-- group: alone
-- needs: globals

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb025;
CREATE DATABASE cb025 CHARACTER SET utf8mb4;
USE cb025;
CREATE TABLE dish (id INT PRIMARY KEY, a INT UNSIGNED, kind ENUM('soup','main') CHARACTER SET latin1, b VARCHAR(9) CHARACTER SET utf8mb4, diet SET('vegan','nut free','it''s ok') CHARACTER SET utf8mb4, c DATETIME(6), size ENUM('S','M','L, XL') CHARACTER SET ascii, d SET('d1','d2') CHARACTER SET latin1, e BIGINT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb025;

-- ==== live ====
SET NAMES utf8mb4;
USE cb025;
SET @rm := @@GLOBAL.binlog_row_metadata;
SET GLOBAL binlog_row_metadata='FULL';
INSERT INTO dish VALUES (1,4000000000,'main','b1','nut free','2024-01-02 03:04:05.000006','L, XL','d2',-1),(2,2,'soup',NULL,'vegan,it''s ok',NULL,'S','d1,d2',2);
ALTER TABLE dish ADD COLUMN mood ENUM('calm','busy','closed') NOT NULL DEFAULT 'closed' AFTER kind;
INSERT INTO dish (id,kind,mood,size) VALUES (3,'soup','busy','M');
UPDATE dish SET mood='calm', diet='' WHERE id=1;
SET GLOBAL binlog_row_metadata=@rm;
DELETE FROM dish WHERE id=2;
