-- id: B039
-- kind: decode
-- requires: mariadb
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb039;
CREATE DATABASE cb039 CHARACTER SET utf8mb4;
USE cb039;
CREATE TABLE host_seen (u UUID PRIMARY KEY, i6 INET6 NULL, i4 INET4 NULL, n INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb039;
INSERT INTO host_seen VALUES ('00000000-0000-0000-0000-000000000001','::1','127.0.0.1',1),('886313e1-3b8a-5372-9b90-0c9aee199e5d',NULL,NULL,2);

-- ==== live ====
SET NAMES utf8mb4;
USE cb039;
INSERT INTO host_seen VALUES ('123e4567-e89b-12d3-a456-426655440000','2001:db8::ff00:42:8329','192.0.2.33',10),('ffffffff-ffff-ffff-ffff-ffffffffffff','::','255.255.255.255',11);
UPDATE host_seen SET i6='::ffff:192.0.2.1', n=n+100 WHERE u='00000000-0000-0000-0000-000000000001';
UPDATE host_seen SET u='6fa459ea-ee8a-3ca4-894e-db77e160355e' WHERE n=2;
DELETE FROM host_seen WHERE u='ffffffff-ffff-ffff-ffff-ffffffffffff';
