// Dates and times of every format that row events and binary JSON hold, as canonical text. Pure;
// any thread. Formats: MySQL's my_time.h, MariaDB's "mysql56_temporal_format".
#pragma once

#include <string>

#include "support/cursor.h"
#include "support/result.h"

namespace wherry::decode {

// The bytes have the size that the type prescribes. fraction: declared digits, 0 to 6.
Status append_date(Bytes bytes, std::string& out);                           // DATE
Status append_time2(Bytes bytes, unsigned fraction, std::string& out);       // TIME(n)
Status append_datetime2(Bytes bytes, unsigned fraction, std::string& out);   // DATETIME(n)
Status append_timestamp2(Bytes bytes, unsigned fraction, std::string& out);  // TIMESTAMP(n)
Status append_old_time(Bytes bytes, unsigned fraction, std::string& out);    // before 5.6
Status append_old_datetime(Bytes bytes, unsigned fraction, std::string& out);
Status append_old_timestamp(Bytes bytes, unsigned fraction, std::string& out);

// The packed 64-bit forms inside binary JSON.
Status append_packed_date(std::int64_t packed, std::string& out);
Status append_packed_time(std::int64_t packed, std::string& out);
Status append_packed_datetime(std::int64_t packed, std::string& out);

}  // namespace wherry::decode
