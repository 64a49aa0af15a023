-- id: B199
-- kind: encoding/protocol
-- requires: any
-- group: plain
-- needs: time-zones

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb199;
CREATE DATABASE cb199 CHARACTER SET utf8mb4;
USE cb199;
CREATE TABLE clockwork (id INT PRIMARY KEY, ts TIMESTAMP NULL, ts6 TIMESTAMP(6) NULL, dt DATETIME NULL, k TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, KEY (k));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb199;
SET time_zone='+00:00'; INSERT INTO clockwork VALUES (1,'2024-03-31 01:30:00','2024-03-31 01:30:00.5','2024-03-31 02:30:00','2024-03-31 01:30:00'),(2,NULL,NULL,NULL,'2000-01-01 00:00:00'); SET time_zone=DEFAULT;

-- ==== live ====
SET NAMES utf8mb4;
USE cb199;
SET time_zone='+05:30'; INSERT INTO clockwork VALUES (10,'2024-01-01 00:00:00','2024-01-01 00:00:00.000001','2024-01-01 00:00:00','2024-01-01 12:00:00');
SET time_zone='-12:00'; INSERT INTO clockwork VALUES (11,'2038-01-18 15:14:07','1969-12-31 12:00:01','1969-12-31 12:00:01','2000-01-01 00:00:00');
UPDATE clockwork SET dt=ts WHERE id=10;
SET time_zone='+13:00'; UPDATE clockwork SET ts=dt WHERE id=1;
DELETE FROM clockwork WHERE k='2000-01-01 13:00:00' AND id=2;
SET time_zone='+00:00'; INSERT INTO clockwork (id,ts) VALUES (12,'2024-06-01 00:00:00');
SET time_zone=DEFAULT;
