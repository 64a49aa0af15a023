#include "dispatch/work.h"

#include <fmt/core.h>

namespace wherry::dispatch {

std::string identity_of(const decode::Batch& batch, const decode::Group& group) {
  const decode::GtidRef& gtid = group.gtid;
  if (gtid.number == 0)
    return fmt::format("{}:{}", batch.file.substr(batch.file.rfind('.') + 1), group.end_offset);
  if (gtid.source < batch.gtid_sources.size())
    return fmt::format("{}:{}", batch.gtid_sources[gtid.source], gtid.number);
  return fmt::format("{}-{}-{}", gtid.domain, gtid.server, gtid.number);
}

}  // namespace wherry::dispatch
