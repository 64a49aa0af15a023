// Writes changes one by one in the order of the source, inside the session's open transaction: for
// tables without a key, under foreign key actions, with partial images, and to name the row when a
// bulk write did not do what it must. Statements share packets; each one's effect is checked. One
// thread: the lane's.
#pragma once

#include <string>
#include <vector>

#include "dispatch/resolve.h"
#include "mysql/session.h"

namespace wherry::sink {

class OrderedWriter {
 public:
  // local_infile: large rows may go by LOAD DATA LOCAL.
  OrderedWriter(mysql::Session& session, std::size_t packet_bytes, bool local_infile)
      : session_(session), packet_bytes_(packet_bytes), local_infile_(local_infile) {}

  // flags: of the row event. tolerant: the table's copy is open.
  Status write(const dispatch::ResolvedTable& table, decode::RowKind kind, std::uint16_t flags,
               const decode::RowView& row, bool tolerant);
  // SAVEPOINT and the like, at its place.
  Status add(std::string_view sql);
  // Sends what is queued, checks it, and leaves the session as it was found.
  Status finish();

 private:
  Status flush();
  struct Queued {
    std::uint64_t warnings = 0;  // that the values themselves cause
    std::string what;            // table and key, for the error
    std::int64_t affected = -1;  // rows that must be matched; -1: any
  };
  Status insert(const dispatch::ResolvedTable& table, const decode::RowView& row, bool tolerant);
  Status put(const dispatch::ResolvedTable& table, const std::vector<decode::Cell>& image,
             std::string_view verb, std::int64_t affected);
  Status update(const dispatch::ResolvedTable& table, const decode::RowView& row, bool tolerant);
  Status erase(const dispatch::ResolvedTable& table, const decode::RowView& row, bool tolerant);
  Status append_condition(std::string& sql, const dispatch::ResolvedTable& table,
                          const decode::RowView& row);
  Status append_assignment(std::string& sql, const dispatch::ResolvedTable& table,
                           const decode::Cell& cell, std::size_t column,
                           const decode::RowView& row);
  bool streams(const dispatch::ResolvedTable& table, const std::vector<decode::Cell>& image) const;
  Status load(const dispatch::ResolvedTable& table, const decode::Cell* image, bool replace,
              std::string what);
  Status queue(std::string_view sql, std::string what, std::int64_t affected);
  Status check_foreign_keys(bool checked);
  std::string name_row(const dispatch::ResolvedTable& table, const decode::Cell* image,
                       std::string_view verb);

  mysql::Session& session_;
  const std::size_t packet_bytes_;
  const bool local_infile_;
  std::string packet_;
  std::string scratch_;
  std::vector<Queued> queued_;
  std::uint64_t warnings_ = 0;  // of the statement under construction
  bool foreign_keys_ = false;
};

}  // namespace wherry::sink
