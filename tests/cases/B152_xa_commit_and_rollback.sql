-- id: B152
-- kind: apply/ordering
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb152;
CREATE DATABASE cb152 CHARACTER SET utf8mb4;
USE cb152;
CREATE TABLE xa_t (id INT PRIMARY KEY, v VARCHAR(20));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb152;
INSERT INTO xa_t VALUES (100,'seed');

-- ==== live ====
SET NAMES utf8mb4;
USE cb152;
XA START 'job-1'; INSERT INTO xa_t VALUES (1,'committed'); UPDATE xa_t SET v='xa' WHERE id=100; XA END 'job-1'; XA PREPARE 'job-1'; XA COMMIT 'job-1';
XA START 'job-2','branch',5; INSERT INTO xa_t VALUES (2,'rolled back'); XA END 'job-2','branch',5; XA PREPARE 'job-2','branch',5; XA ROLLBACK 'job-2','branch',5;
XA START X'00ff','x',1; INSERT INTO xa_t VALUES (3,'one phase'); XA END X'00ff','x',1; XA COMMIT X'00ff','x',1 ONE PHASE;
INSERT INTO xa_t VALUES (4,'plain after');
