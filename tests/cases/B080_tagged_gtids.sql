-- id: B080
-- kind: failover/gtid
-- requires: mysql
-- group: alone
-- needs: tags

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb080;
CREATE DATABASE cb080 CHARACTER SET utf8mb4;
USE cb080;
CREATE TABLE tagged (id INT PRIMARY KEY, v VARCHAR(20));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb080;

-- ==== live ====
SET NAMES utf8mb4;
USE cb080;
SET gtid_next='AUTOMATIC:blue';
INSERT INTO tagged VALUES (1,'blue tag');
INSERT INTO tagged VALUES (2,'blue tag');
SET gtid_next='AUTOMATIC';
INSERT INTO tagged VALUES (3,'no tag');
SET gtid_next='AUTOMATIC:ops_2';
UPDATE tagged SET v='ops' WHERE id=3;
ALTER TABLE tagged ADD COLUMN w INT NULL;
SET gtid_next='AUTOMATIC';
DELETE FROM tagged WHERE id=1;
