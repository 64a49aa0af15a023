// One large object in parts, several at a time. What fails is taken back, so that no parts are left
// to be paid for. One thread a call.
#pragma once

#include "storage/s3_client.h"

namespace wherry::storage {

Status put_in_parts(S3Client& client, const std::string& key, Parts parts, const Limits& limits);

}  // namespace wherry::storage
