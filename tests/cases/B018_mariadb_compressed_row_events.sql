-- id: B018
-- kind: decode
-- requires: mariadb
-- group: alone
-- needs: globals

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb018;
CREATE DATABASE cb018 CHARACTER SET utf8mb4;
USE cb018;
CREATE TABLE blurbs (id INT PRIMARY KEY, c TEXT NULL, b BLOB NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb018;

-- ==== live ====
SET NAMES utf8mb4;
USE cb018;
SET @c0 := @@GLOBAL.log_bin_compress, @m0 := @@GLOBAL.log_bin_compress_min_len;
SET GLOBAL log_bin_compress = ON;
SET GLOBAL log_bin_compress_min_len = 10;
INSERT INTO blurbs VALUES (1,REPEAT('k',252),NULL),(2,REPEAT('k',253),x'00'),(3,REPEAT('k',65535),REPEAT(x'ff',300));
UPDATE blurbs SET c=CONCAT(c,'!') WHERE id<3;
DELETE FROM blurbs WHERE id=2;
INSERT INTO blurbs VALUES (4,'s',NULL);
SET GLOBAL log_bin_compress = @c0;
SET GLOBAL log_bin_compress_min_len = @m0;
INSERT INTO blurbs VALUES (5,REPEAT('5',300),NULL);
