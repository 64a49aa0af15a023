#include "store/place_tracker.h"

namespace wherry::store {

Result<PlaceTracker> PlaceTracker::make(Dialect dialect, const Place& from) {
  PlaceTracker tracker;
  tracker.dialect_ = dialect;
  tracker.place_ = from;
  tracker.place_.gtid.clear();
  if (dialect == Dialect::mysql) {
    Result<MysqlGtidSet> set = MysqlGtidSet::parse(from.gtid);
    if (!set.ok()) return set.error().within("where the log begins");
    tracker.mysql_ = std::move(set).value();
  } else {
    Result<MariadbGtidPosition> position = MariadbGtidPosition::parse(from.gtid);
    if (!position.ok()) return position.error().within("where the log begins");
    tracker.mariadb_ = std::move(position).value();
  }
  return tracker;
}

void PlaceTracker::add(const Commit& commit) {
  place_.cseq = commit.cseq;
  place_.commit_us = commit.commit_us;
  place_.generation = commit.generation;
  if (place_.file.file != commit.file) place_.file.file = commit.file;
  place_.file.offset = commit.end_offset;
  if (commit.gtid_number == 0) return;
  if (dialect_ == Dialect::mysql)
    mysql_.add(commit.gtid_source, commit.gtid_number);
  else
    mariadb_.set(commit.gtid_domain, {commit.gtid_server, commit.gtid_number});
}

Place PlaceTracker::place() const {
  Place place = place_;
  place.gtid = dialect_ == Dialect::mysql ? mysql_.to_string() : mariadb_.to_string();
  return place;
}

Result<bool> PlaceTracker::holds(std::string_view gtid) const {
  if (dialect_ == Dialect::mysql) {
    const Result<MysqlGtidSet> part = MysqlGtidSet::parse(gtid);
    if (!part.ok()) return part.error();
    return mysql_.contains(part.value());
  }
  const Result<MariadbGtidPosition> part = MariadbGtidPosition::parse(gtid);
  if (!part.ok()) return part.error();
  return mariadb_.contains(part.value());
}

}  // namespace wherry::store
