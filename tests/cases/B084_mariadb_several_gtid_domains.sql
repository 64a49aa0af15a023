-- id: B084
-- kind: failover/gtid
-- requires: mariadb
-- group: alone
-- needs: stopped

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb084;
CREATE DATABASE cb084 CHARACTER SET utf8mb4;
USE cb084;
CREATE TABLE dom_a (id INT PRIMARY KEY, v INT);
CREATE TABLE dom_b (id INT PRIMARY KEY, v INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb084;

-- ==== live ====
SET NAMES utf8mb4;
USE cb084;
SET SESSION gtid_domain_id=0; INSERT INTO dom_a VALUES (1,0);
SET SESSION gtid_domain_id=7; INSERT INTO dom_b VALUES (1,7);
SET SESSION gtid_domain_id=3; INSERT INTO dom_b VALUES (2,3);
SET SESSION gtid_domain_id=7; UPDATE dom_b SET v=v+1;
SET SESSION gtid_domain_id=0; UPDATE dom_a SET v=v+1;
SET SESSION gtid_domain_id=4294967295; INSERT INTO dom_b VALUES (3,99);
SET SESSION gtid_domain_id=0; DELETE FROM dom_a WHERE id=9; INSERT INTO dom_a VALUES (2,2);
