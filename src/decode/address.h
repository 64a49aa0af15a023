// MariaDB's fixed-size types with a text form of their own. Pure; any thread.
// Formats: MariaDB's UUID, INET4 and INET6 types, as the record image holds them.
#pragma once

#include <array>
#include <string>

#include "support/cursor.h"

namespace wherry::decode {

using Sixteen = std::array<std::byte, 16>;

void append_uuid(const Sixteen& record, std::string& out);
void append_inet6(const Sixteen& record, std::string& out);
void append_inet4(const std::array<std::byte, 4>& record, std::string& out);

}  // namespace wherry::decode
