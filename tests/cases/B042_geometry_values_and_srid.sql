-- id: B042
-- kind: decode
-- requires: any
-- group: plain

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb042;
CREATE DATABASE cb042 CHARACTER SET utf8mb4;
USE cb042;
CREATE TABLE plot (id INT PRIMARY KEY, g GEOMETRY NULL, p POINT NOT NULL, poly POLYGON NULL, note VARCHAR(10));

-- ==== seed ====
SET NAMES utf8mb4;
USE cb042;

-- ==== live ====
SET NAMES utf8mb4;
USE cb042;
INSERT INTO plot VALUES (1,ST_GeomFromText('POINT(1 2)'),ST_GeomFromText('POINT(-179.5 89.25)'),NULL,'a'),(2,ST_GeomFromText('LINESTRING(0 0,1 1,2 0)'),ST_GeomFromText('POINT(0 0)'),ST_GeomFromText('POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))'),'b'),(3,ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(2 2,3 3))'),ST_GeomFromText('POINT(7 7)',3857),NULL,'c');
UPDATE plot SET g=ST_GeomFromText('MULTIPOINT(1 1,2 2)'), note='moved' WHERE id=1;
UPDATE plot SET p=ST_GeomFromText('POINT(8 9)',3857) WHERE id=3;
DELETE FROM plot WHERE id=2;
