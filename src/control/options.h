// What `wherry copy` was asked to do, from the command line, a TOML file and the environment.
// Values; no threads. Every field is one option of the contract.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/uri.h"
#include "support/pattern.h"

namespace wherry::control {

enum class VerifyKind { none, checksum };
enum class CutoverMode { automatic, manual, never };
enum class PositionMode { gtid, file };
enum class IndexMode { after, with };
enum class ProgressMode { automatic, bar, lines, json, none };
enum class ExistingMode { error, use };

struct RenameRule {  // 'db.table=db2.table2' or 'db=db2' (table parts empty)
  std::string from_database, from_table, to_database, to_table;
  // Of 'shop_*.orders=shop.orders' and 'shop_*=shop': many tables may go into one.
  std::optional<Pattern> pattern = std::nullopt;
};

// Changes that are left out, by their kind.
struct EventFilter {
  std::string pattern;  // of tables at the source
  bool inserts = false, updates = false, deletes = false;
};

// Rows of the tables that are kept: an expression over their columns, as text.
struct RowFilter {
  std::string pattern;
  std::string expression;
};

struct CopyOptions {
  std::string source_uri;  // as given; print only redacted
  std::string target_uri;
  Endpoint source;
  Endpoint target;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<RenameRule> rename;
  std::vector<EventFilter> skip;
  std::vector<RowFilter> where;
  VerifyKind verify = VerifyKind::checksum;
  CutoverMode cutover = CutoverMode::automatic;
  std::string cutover_lock;  // URL or command; empty: the source is not fenced
  std::string cutover_unlock;
  std::chrono::milliseconds max_downtime{0};  // 0: no limit
  bool resume = false;
  std::string state_dir;  // holds the control socket; empty: none
  std::string spill_dir;
  std::uint64_t spill_max = 0;
  std::string api;                            // address; empty: no API
  std::optional<PositionMode> position_mode;  // not given: gtid where the source has GTIDs
  std::uint64_t chunk_rows = 0;               // 0: chosen by bytes
  unsigned readers = 0;                       // 0: chosen
  unsigned lanes = 0;                         // 0: chosen
  std::uint64_t memory = 1ULL << 30;
  std::chrono::milliseconds max_lag{0};
  std::uint64_t rate_rows = 0;  // per second, 0: no limit
  std::uint64_t rate_bytes = 0;
  bool dry_run = false;
  std::string report_file;
  ExistingMode existing = ExistingMode::error;
  bool with_views = false, with_triggers = false, with_routines = false, with_events = false;
  IndexMode indexes = IndexMode::after;
  bool target_binlog = true;
  bool drop_meta = false;
  std::string meta_database = "wherry";
  std::string redo_uri;  // with its secrets; empty: no redo
  ProgressMode progress = ProgressMode::automatic;
  bool json = false;
  std::vector<std::pair<std::string, std::string>> collation_map;  // --map-collation from=to
};

}  // namespace wherry::control
