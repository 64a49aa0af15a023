-- id: B054
-- kind: ddl
-- requires: any
-- group: ddl

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb054;
CREATE DATABASE cb054 CHARACTER SET utf8mb4;
USE cb054;
CREATE TABLE starter (id INT PRIMARY KEY);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb054;

-- ==== live ====
SET NAMES utf8mb4;
USE cb054;
CREATE TABLE `coll_mix` ( `id` INT(10) NOT NULL AUTO_INCREMENT, `m` VARCHAR(255) NULL DEFAULT NULL COLLATE 'utf8mb4_unicode_ci', `c` CHAR(4) BINARY CHARACTER SET latin1, `a` VARCHAR(9) ASCII, `u` VARCHAR(9) CHARACTER SET 'utf8mb4' COLLATE "utf8mb4_bin", `n` NATIONAL VARCHAR(5), `bt` VARCHAR(7) BYTE, PRIMARY KEY (`id`), INDEX `m` (`m`(20))) COLLATE='utf8mb4_unicode_ci' ENGINE=InnoDB ROW_FORMAT=DYNAMIC AUTO_INCREMENT=905;
INSERT INTO coll_mix (m,c,a,u,n,bt) VALUES ('A','a','x','X','n',x'00ff'),('a','A',NULL,'x','N','');
UPDATE coll_mix SET u='y' WHERE u='X';
DELETE FROM coll_mix WHERE c='A';
CREATE TABLE coll_like LIKE coll_mix;
INSERT INTO coll_like SELECT * FROM coll_mix;
