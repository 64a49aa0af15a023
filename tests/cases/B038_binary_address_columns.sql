-- id: B038
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb038;
CREATE DATABASE cb038 CHARACTER SET utf8mb4;
USE cb038;
CREATE TABLE peer_addr (id INT PRIMARY KEY, ip VARBINARY(16) NOT NULL, ip4 BINARY(4) NULL, UNIQUE KEY (ip));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb038;

-- ==== live ====
SET NAMES utf8mb4;
USE cb038;
INSERT INTO peer_addr VALUES (1,INET6_ATON('::1'),INET6_ATON('255.254.0.92')),(2,INET6_ATON('fd00::aeff:e1bd'),NULL),(3,x'b8aee1bd',x'00000000');
UPDATE peer_addr SET ip=INET6_ATON('2001:db8::ff5c:27') WHERE id=1;
UPDATE peer_addr SET ip4=INET6_ATON('10.0.0.0') WHERE ip=x'b8aee1bd';
DELETE FROM peer_addr WHERE ip=INET6_ATON('fd00::aeff:e1bd');
