// URIs as the command line and the configuration take them, and the endpoint of a server. Parts are
// percent-decoded. Values; no threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "support/result.h"

namespace wherry {

struct Uri {
  std::string scheme;
  std::string user;
  std::string password;
  std::string host;
  std::uint16_t port = 0;  // 0: not given
  std::string path;        // without the leading slash for mysql; as written for file
  std::map<std::string, std::string> options;
};

// Refuses what it cannot read, naming the part; the message never holds the password.
Result<Uri> parse_uri(std::string_view text);

// The URI without its password (and without the values of secret options), for messages and state.
std::string redacted(std::string_view uri);

enum class TlsMode { disabled, preferred, required, verify_ca, verify_identity };

// One server of MySQL or MariaDB, as a URI names it.
struct Endpoint {
  std::string host;  // empty where socket is given
  std::uint16_t port = 3306;
  std::string socket;
  std::string user;
  std::string password;
  TlsMode tls = TlsMode::preferred;
  std::string tls_ca;
  std::string tls_cert;
  std::string tls_key;

  std::string to_string() const;  // host:port or the socket's path; never the password
};

// mysql:// and mariadb://. Refuses unknown schemes and options, naming the nearest right one.
Result<Endpoint> parse_endpoint(std::string_view uri);

}  // namespace wherry
