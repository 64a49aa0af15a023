// Every parser of positions: whatever is accepted is printed and read again as the same value, and
// the algebra of sets holds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/position.h"

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

void check_mysql(std::string_view text) {
  const wherry::Result<wherry::MysqlGtidSet> parsed = wherry::MysqlGtidSet::parse(text);
  if (!parsed.ok()) return;
  const wherry::MysqlGtidSet& set = parsed.value();
  const wherry::Result<wherry::MysqlGtidSet> again = wherry::MysqlGtidSet::parse(set.to_string());
  must(again.ok() && again.value() == set);
  must(set.contains(set) && set.encode().size() >= 8);
  wherry::MysqlGtidSet doubled = set;
  doubled.add(set);
  must(doubled == set);
  doubled.subtract(set);
  must(doubled.empty());
}

void check_mariadb(std::string_view text) {
  const wherry::Result<wherry::MariadbGtidPosition> parsed =
      wherry::MariadbGtidPosition::parse(text);
  if (!parsed.ok()) return;
  const wherry::Result<wherry::MariadbGtidPosition> again =
      wherry::MariadbGtidPosition::parse(parsed.value().to_string());
  must(again.ok() && again.value() == parsed.value());
  must(parsed.value().contains(again.value()));
}

void check_file(std::string_view text) {
  const wherry::Result<wherry::FilePosition> parsed = wherry::parse_file_position(text);
  if (!parsed.ok()) return;
  must(wherry::compare(parsed.value(), parsed.value()) == 0);
  must(wherry::parse_file_position(parsed.value().to_string()).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  check_mysql(text);
  check_mariadb(text);
  check_file(text);
  return 0;
}
