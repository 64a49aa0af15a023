// The order in which net rows are sent, so that each finds its pages where the row before left
// them. Only a matter of speed: any order is right, since the rows of a group have different keys.
// Pure.
#pragma once

#include <vector>

#include "sink/mysql/net_rows.h"

namespace wherry::sink {

// The entries by the first secondary index that most of them change, as far as eight bytes tell it;
// else by the row key. On a million updates of an indexed column this saved a tenth of the target's
// CPU time over the order of arrival.
std::vector<std::size_t> in_write_order(const NetRows& rows, std::vector<std::size_t> entries);

}  // namespace wherry::sink
