// What an answer of S3 means that is no success. Pure.
#pragma once

#include <string>
#include <string_view>

#include "storage/http.h"

namespace wherry::storage {

struct S3Fault {
  std::string code;     // "NoSuchKey"; empty: the answer did not say
  std::string message;  // of the server, printable
  std::string region;   // where the bucket is, if the answer says so
  std::string request_id;
};

S3Fault read_fault(const HttpAnswer& answer);

// what: "PUT feed/1.log". The kind of error is a matter of the code, else of the status.
Error to_error(unsigned status, const S3Fault& fault, std::string_view what);

}  // namespace wherry::storage
