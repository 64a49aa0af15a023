-- id: B024
-- kind: decode
-- requires: any
-- group: alone
-- needs: globals

-- ==== schema ====
SET NAMES utf8mb4;
DROP DATABASE IF EXISTS cb024;
CREATE DATABASE cb024 CHARACTER SET utf8mb4;
USE cb024;
CREATE TABLE m_wide (`a_rather_long_column_name_number_01_for_metadata` INT NULL, `a_rather_long_column_name_number_02_for_metadata` INT NULL, `a_rather_long_column_name_number_03_for_metadata` INT NULL, `a_rather_long_column_name_number_04_for_metadata` INT NULL, `a_rather_long_column_name_number_05_for_metadata` INT NULL, `a_rather_long_column_name_number_06_for_metadata` INT NULL, `a_rather_long_column_name_number_07_for_metadata` INT NULL, `a_rather_long_column_name_number_08_for_metadata` INT NULL, `a_rather_long_column_name_number_09_for_metadata` INT NULL, `a_rather_long_column_name_number_10_for_metadata` INT NULL, `a_rather_long_column_name_number_11_for_metadata` INT NULL, `a_rather_long_column_name_number_12_for_metadata` INT NULL, `a_rather_long_column_name_number_13_for_metadata` INT NULL, `a_rather_long_column_name_number_14_for_metadata` INT NULL, `a_rather_long_column_name_number_15_for_metadata` INT NULL, `a_rather_long_column_name_number_16_for_metadata` INT NULL, `a_rather_long_column_name_number_17_for_metadata` INT NULL, `a_rather_long_column_name_number_18_for_metadata` INT NULL, `a_rather_long_column_name_number_19_for_metadata` INT NULL, `a_rather_long_column_name_number_20_for_metadata` INT NULL, `a_rather_long_column_name_number_21_for_metadata` INT NULL, `a_rather_long_column_name_number_22_for_metadata` INT NULL, `a_rather_long_column_name_number_23_for_metadata` INT NULL, `a_rather_long_column_name_number_24_for_metadata` INT NULL, `a_rather_long_column_name_number_25_for_metadata` INT NULL, `a_rather_long_column_name_number_26_for_metadata` INT NULL, `a_rather_long_column_name_number_27_for_metadata` INT NULL, `a_rather_long_column_name_number_28_for_metadata` INT NULL, `a_rather_long_column_name_number_29_for_metadata` INT NULL, `a_rather_long_column_name_number_30_for_metadata` INT NULL, `a_rather_long_column_name_number_31_for_metadata` INT NULL, `a_rather_long_column_name_number_32_for_metadata` INT NULL, `a_rather_long_column_name_number_33_for_metadata` INT NULL, `a_rather_long_column_name_number_34_for_metadata` INT NULL, `a_rather_long_column_name_number_35_for_metadata` INT NULL, `a_rather_long_column_name_number_36_for_metadata` INT NULL, `a_rather_long_column_name_number_37_for_metadata` INT NULL, `a_rather_long_column_name_number_38_for_metadata` INT NULL, `a_rather_long_column_name_number_39_for_metadata` INT NULL, `a_rather_long_column_name_number_40_for_metadata` INT NULL, `key_column_with_a_long_name` BIGINT UNSIGNED PRIMARY KEY);

-- ==== seed ====
SET NAMES utf8mb4;
USE cb024;

-- ==== live ====
SET NAMES utf8mb4;
USE cb024;
SET @rm := @@GLOBAL.binlog_row_metadata;
SET GLOBAL binlog_row_metadata='FULL';
INSERT INTO m_wide (`key_column_with_a_long_name`,`a_rather_long_column_name_number_01_for_metadata`,`a_rather_long_column_name_number_40_for_metadata`) VALUES (18446744073709551615,1,40),(2,-1,-40);
UPDATE m_wide SET `a_rather_long_column_name_number_20_for_metadata`=20;
DELETE FROM m_wide WHERE `key_column_with_a_long_name`=2;
SET GLOBAL binlog_row_metadata=@rm;
INSERT INTO m_wide (`key_column_with_a_long_name`) VALUES (3);
