// Follows commits and knows the whole place behind the newest one: the GTID set too, which a commit
// itself does not hold. A value; one thread.
#pragma once

#include "store/entry.h"
#include "support/result.h"

namespace wherry::store {

class PlaceTracker {
 public:
  // Refuses a GTID text that is none of the dialect's.
  static Result<PlaceTracker> make(Dialect dialect, const Place& from);

  void add(const Commit& commit);
  // The newest commit without the GTID set, and with it.
  const Place& newest() const { return place_; }
  Place place() const;
  // Whether every transaction of the GTID text is behind the place.
  Result<bool> holds(std::string_view gtid) const;

 private:
  PlaceTracker() = default;

  Dialect dialect_ = Dialect::mysql;
  Place place_;  // its gtid is empty: the two below have it
  MysqlGtidSet mysql_;
  MariadbGtidPosition mariadb_;
};

}  // namespace wherry::store
