#include "control/report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "control/exit_code.h"
#include "control/progress_view.h"
#include "control/status_json.h"

namespace wherry::control {
namespace {

using nlohmann::json;

CopyStatus finished() {
  CopyStatus status;
  status.state = CopyState::done;
  status.started = std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000));
  status.updated = status.started + std::chrono::milliseconds(12'500);
  TableStatus table;
  table.name = "shop.orders";
  table.target_name = "store.orders";
  table.rows_copied = 1000;
  table.bytes_copied = 65536;
  table.changes_applied = 7;
  table.rows_verified = 1003;
  table.verified = "equal";
  table.copied = true;
  status.tables.push_back(table);
  status.rows_copied = 1000;
  status.bytes_copied = 65536;
  status.transactions_applied = 3;
  status.changes_applied = 7;
  status.start = {{"binlog.000001", 157}, "0-1-10"};
  status.current = {{"binlog.000001", 900}, "0-1-13"};
  status.stop = status.current;
  status.phase_seconds = {{"copying", 10.0}, {"cutover", 0.25}};
  status.downtime = std::chrono::milliseconds(250);
  return status;
}

CopyOptions options() {
  CopyOptions out;
  out.source.host = "a";
  out.source.password = "secret-1";
  out.target.host = "b";
  return out;
}

TEST(Report, HoldsWhatTheManualPromises) {
  const json report = json::parse(report_json(finished(), options()));
  EXPECT_EQ(report["state"], "done");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["fenced"], false);
  EXPECT_EQ(report["resumable"], false);
  EXPECT_EQ(report["error"], nullptr);
  EXPECT_EQ(report["source"], "a:3306");
  EXPECT_EQ(report["started"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(report["seconds"], 12.5);
  EXPECT_EQ(report["downtime_ms"], 250);
  EXPECT_EQ(report["phase_seconds"]["cutover"], 0.25);
  EXPECT_EQ(report["positions"]["start"]["gtid"], "0-1-10");
  EXPECT_EQ(report["positions"]["cutover"]["offset"], 900);
  EXPECT_EQ(report["source_generations"], 1);
  EXPECT_EQ(report["tables"][0]["rows_copied"], 1000);
  EXPECT_EQ(report["tables"][0]["bytes_copied"], 65536);
  EXPECT_EQ(report["tables"][0]["changes_applied"], 7);
  EXPECT_EQ(report["tables"][0]["rows_verified"], 1003);
  EXPECT_EQ(report["totals"]["differences"], 0);
}

TEST(Report, SaysWhatIsNotThere) {
  const std::string text = report_json(finished(), options());
  EXPECT_NE(text.find("not fenced"), std::string::npos);
  EXPECT_NE(text.find("accounts, roles and grants are not copied"), std::string::npos);
  EXPECT_NE(text.find("views, triggers, routines, events"), std::string::npos);
  EXPECT_EQ(text.find("secret-1"), std::string::npos);
}

TEST(Report, IsVerifiedOnlyWhereEveryTableWasFoundEqual) {
  CopyStatus status = finished();
  status.tables[0].verified = "not verified";
  EXPECT_EQ(json::parse(report_json(status, options()))["verified"], false);
  status = finished();
  CopyOptions unverified = options();
  unverified.verify = VerifyKind::none;
  EXPECT_EQ(json::parse(report_json(status, unverified))["verified"], false);
  status.state = CopyState::interrupted;
  EXPECT_EQ(json::parse(report_json(status, options()))["verified"], false);
}

TEST(Report, AFailedRunTellsWhetherItCanGoOn) {
  CopyStatus status = finished();
  status.state = CopyState::failed;
  status.error = Error{Errc::network, "lost", 2013};
  status.resumable = true;
  const json report = json::parse(report_json(status, options()));
  EXPECT_EQ(report["resumable"], true);
  EXPECT_EQ(report["error"]["code"], "network");
  EXPECT_EQ(report["error"]["server_code"], 2013);
  EXPECT_NE(report_text(status, options()).find("--resume"), std::string::npos);
}

TEST(Report, KeepsKeysThatAreNoText) {
  CopyStatus status = finished();
  status.tables[0].differences = 1;
  status.differences.push_back({"shop.orders", "id=\xff\xfe", "differs", {"a", "b"}});
  const json report = json::parse(report_json(status, options()));
  EXPECT_EQ(report["differences"].size(), 1U);
  EXPECT_NE(report_text(status, options()).find("a, b"), std::string::npos);
}

TEST(Report, IsReplacedAsAWhole) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "wherry_report_test";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "report.json";
  ASSERT_TRUE(write_report(path, "old").ok());
  ASSERT_TRUE(write_report(path, "new\n").ok());
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "new\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_TRUE(check_report_path(path).ok());
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(check_report_path(path).ok());
  EXPECT_TRUE(check_report_path("report.json").ok());
  const Status failed = write_report(path, "x");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, Errc::io);
}

TEST(ExitCodes, FollowTheManual) {
  EXPECT_EQ(exit_code(Status(Unit{}), finished()), ExitCode::done);
  CopyStatus different = finished();
  different.tables[0].differences = 2;
  EXPECT_EQ(exit_code(Status(Unit{}), different), ExitCode::differs);
  EXPECT_EQ(exit_code(Error{Errc::network, ""}), ExitCode::failed);
  EXPECT_EQ(exit_code(Error{Errc::refused, ""}), ExitCode::usage);
  EXPECT_EQ(exit_code(Error{Errc::usage, ""}), ExitCode::usage);
  EXPECT_EQ(exit_code(Error{Errc::interrupted, ""}), ExitCode::interrupted);
  EXPECT_EQ(exit_code(Error{Errc::differs, ""}), ExitCode::differs);
}

TEST(Metrics, AreWellFormedAndEscaped) {
  CopyStatus status = finished();
  status.tables[0].name = "shop.a\"b\\c\nd";
  status.ignored["account"] = 2;
  const std::string text = metrics_text(status);
  EXPECT_NE(text.find("wherry_copy_state{state=\"done\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("wherry_copy_state{state=\"copying\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("wherry_copy_rows_total 1000\n"), std::string::npos);
  EXPECT_NE(text.find("wherry_ignored_total{kind=\"account\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("{table=\"shop.a\\\"b\\\\c\\nd\"} 1000\n"), std::string::npos);
}

TEST(ProgressText, ShowsShareSpeedLagAndEnd) {
  CopyStatus status = finished();
  status.state = CopyState::copying;
  status.tables[0].copied = false;
  status.rows_estimate = 4000;
  status.rows_per_second = 190'000;
  status.bytes_per_second = 44.1e6;
  status.lag = std::chrono::milliseconds(300);
  status.eta = std::chrono::seconds(12);
  const std::string line = progress_line(status);
  for (const char* part : {"copying", "1000 of 4000 rows", "(25 %)", "190 k rows/s", "44.1 MB/s",
                           "lag 300ms", "ETA 12"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
}

TEST(ProgressText, AnEstimateThatWasTooSmallNeverShowsTheEnd) {
  CopyStatus status = finished();
  status.state = CopyState::copying;
  status.tables[0].copied = false;
  status.rows_estimate = 10;
  EXPECT_NE(progress_line(status).find("(99 %)"), std::string::npos) << progress_line(status);
}

TEST(ProgressText, VerifyingCountsTheRowsThatAreCompared) {
  CopyStatus status = finished();
  status.state = CopyState::verifying;
  status.rows_estimate = 4000;
  status.tables[0].rows_verified = 2000;
  const std::string line = progress_line(status);
  EXPECT_TRUE(line.starts_with("verifying 2000 of 4000 rows (50 %)")) << line;
  EXPECT_NE(progress_bar(status, 80).find("####"), std::string::npos);
  EXPECT_NE(progress_bar(status, 80).find(" 50 %"), std::string::npos);
  status.tables[0].rows_verified = 9000;
  EXPECT_NE(progress_line(status).find("(99 %)"), std::string::npos) << progress_line(status);
  EXPECT_EQ(json::parse(progress_json(status).dump())["rows_verified"], 9000);
}

TEST(ProgressText, TheBarFitsTheTerminal) {
  const CopyStatus status = finished();
  for (const std::size_t width : {1U, 20U, 40U, 200U})
    EXPECT_LT(progress_bar(status, width).size(), width);
}

}  // namespace
}  // namespace wherry::control
