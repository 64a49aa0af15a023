-- id: B107
-- kind: snapshot/copy
-- requires: any
-- group: plain
-- needs: lower_case_table_names=0

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb107;
CREATE DATABASE cb107 CHARACTER SET utf8mb4;
USE cb107;
CREATE TABLE QX_Voucher_Log (voucherNo INT PRIMARY KEY, v INT);
CREATE TABLE qx_voucher_log (voucherNo INT PRIMARY KEY, v INT);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb107;
INSERT INTO QX_Voucher_Log VALUES (1,1),(2,2); INSERT INTO qx_voucher_log VALUES (1,5);

-- ==== live ====
SET NAMES utf8mb4;
USE cb107;
INSERT INTO QX_Voucher_Log VALUES (100,1);
INSERT INTO qx_voucher_log VALUES (100,2);
UPDATE QX_Voucher_Log SET v=v+10 WHERE voucherno=1;
ALTER TABLE QX_Voucher_Log MODIFY VOUCHERNO BIGINT UNSIGNED NOT NULL;
INSERT INTO QX_Voucher_Log (VoucherNo,V) VALUES (18446744073709551615,3);
DELETE FROM qx_voucher_log WHERE VOUCHERno=1;
