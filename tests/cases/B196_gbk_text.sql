-- id: B196
-- kind: encoding/protocol
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb196;
CREATE DATABASE cb196 CHARACTER SET utf8mb4;
USE cb196;
CREATE TABLE gbk_t (id INT PRIMARY KEY, n VARCHAR(20) CHARACTER SET gbk, KEY (n)) DEFAULT CHARSET=gbk;

-- ==== seed ====
SET NAMES utf8mb4;
USE cb196;
INSERT INTO gbk_t VALUES (1,_gbk x'D4C2B9E2');

-- ==== live ====
SET NAMES utf8mb4;
USE cb196;
INSERT INTO gbk_t VALUES (10,_gbk x'BBA8D4C66778'),(11,_gbk x'C9BDCBAE'),(12,'');
UPDATE gbk_t SET n=_gbk x'BBA8' WHERE id=1;
DELETE FROM gbk_t WHERE n=_gbk x'C9BDCBAE';
