// Lists the objects of a bucket page by page. One thread a call.
#pragma once

#include "storage/folder_walk.h"
#include "storage/s3_client.h"

namespace wherry::storage {

// Names in the result are relative to the prefix of the client. Errc::unsupported: the server does
// not list in order.
Result<std::vector<Entry>> list_objects(S3Client& client, const WalkRange& range,
                                        const Limits& limits);

}  // namespace wherry::storage
