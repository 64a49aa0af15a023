-- id: B005
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb005;
CREATE DATABASE cb005 CHARACTER SET utf8mb4;
USE cb005;
CREATE TABLE feature_flags (id INT PRIMARY KEY, s1 SET('a','b') NOT NULL, s9 SET('m01','m02','m03','m04','m05','m06','m07','m08','m09') NULL, s18 SET('m01','m02','m03','m04','m05','m06','m07','m08','m09','m10','m11','m12','m13','m14','m15','m16','m17','m18') NULL, s33 SET('m01','m02','m03','m04','m05','m06','m07','m08','m09','m10','m11','m12','m13','m14','m15','m16','m17','m18','m19','m20','m21','m22','m23','m24','m25','m26','m27','m28','m29','m30','m31','m32','m33') NULL, s64 SET('m01','m02','m03','m04','m05','m06','m07','m08','m09','m10','m11','m12','m13','m14','m15','m16','m17','m18','m19','m20','m21','m22','m23','m24','m25','m26','m27','m28','m29','m30','m31','m32','m33','m34','m35','m36','m37','m38','m39','m40','m41','m42','m43','m44','m45','m46','m47','m48','m49','m50','m51','m52','m53','m54','m55','m56','m57','m58','m59','m60','m61','m62','m63','m64') NULL);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb005;

-- ==== live ====
SET NAMES utf8mb4;
USE cb005;
INSERT INTO feature_flags VALUES (1,'','','','',''),(2,'a,b','m09','m18','m33','m64'),(3,'b','m01','m01','m01','m01'),(4,'a',NULL,NULL,NULL,NULL);
INSERT INTO feature_flags VALUES (5,3,511,262143,8589934591,18446744073709551615),(6,2,256,65536,4294967296,9223372036854775808);
UPDATE feature_flags SET s18='m02,m10,m17', s64='m01,m09,m17,m33,m64' WHERE id=1;
UPDATE feature_flags SET s64 = s64 + 0 & ~1 WHERE id=5;
DELETE FROM feature_flags WHERE id=3;
