#include "model/uri.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "support/ascii.h"
#include "support/nearest.h"

namespace wherry {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kEndpointOptions = {"tls"sv, "tls-ca"sv, "tls-cert"sv, "tls-key"sv,
                                         "socket"sv};
constexpr std::array kTlsModes = {"disabled"sv, "preferred"sv, "required"sv, "verify-ca"sv,
                                  "verify-identity"sv};
constexpr std::array kServerSchemes = {"mysql"sv, "mariadb"sv};

Error usage(std::string what) { return {Errc::usage, std::move(what)}; }

// The pieces of a URI as written, still encoded.
struct Pieces {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;   // with its leading slash
  std::string_view query;  // without the question mark
};

bool is_scheme(std::string_view text) {
  if (text.empty() || !ascii::letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return ascii::letter(c) || ascii::digit(c) || c == '+' || c == '-' || c == '.';
  });
}

Result<Pieces> cut(std::string_view text) {
  Pieces pieces;
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos) return usage("a URI begins with scheme://");
  pieces.scheme = text.substr(0, mark);
  if (!is_scheme(pieces.scheme)) return usage("a URI begins with scheme://");
  if (std::any_of(text.begin(), text.end(), ascii::control)) {
    return usage("control characters in a URI must be percent-encoded");
  }
  std::string_view rest = text.substr(mark + 3);
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  pieces.authority = rest.substr(0, authority_end);
  rest.remove_prefix(authority_end);
  const std::size_t path_end = std::min(rest.find('?'), rest.size());
  pieces.path = rest.substr(0, path_end);
  if (path_end < rest.size()) pieces.query = rest.substr(path_end + 1);
  return pieces;
}

// The message names the part, never its text: it may be a password.
Result<std::string> decode(std::string_view text, std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? ascii::hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? ascii::hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return usage("the " + std::string(part) +
                   " of a URI: '%' must be followed by two hexadecimal digits");
    }
    if (high == 0 && low == 0)
      return usage("the " + std::string(part) + " of a URI holds a zero byte");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

Status read_port(std::string_view text, Uri& uri) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, uri.port);
  if (text.empty() || error != std::errc() || stop != end || uri.port == 0) {
    return usage(
        "the port of a URI is a number from 1 to 65535 (in a password write '/' as %2F, '?' as %3F "
        "and '@' as %40)");
  }
  return Unit{};
}

Status read_host(std::string_view text, Uri& uri) {
  if (!text.empty() && text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return usage("the host of a URI: ']' is missing");
    uri.host = std::string(text.substr(1, close - 1));
    text.remove_prefix(close + 1);
    if (text.empty()) return Unit{};
    if (text.front() != ':') return usage("the host of a URI: only a port may follow ']'");
    return read_port(text.substr(1), uri);
  }
  // Several hosts (the brokers of Kafka) keep their ports in the text.
  const bool several = text.find(',') != std::string_view::npos;
  const std::size_t colon = several ? std::string_view::npos : text.rfind(':');
  Result<std::string> host = decode(text.substr(0, colon), "host");
  if (!host.ok()) return host.error();
  uri.host = std::move(host).value();
  return colon == std::string_view::npos ? Status(Unit{}) : read_port(text.substr(colon + 1), uri);
}

Status read_authority(std::string_view text, Uri& uri) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return read_host(text, uri);
  const std::string_view login = text.substr(0, at);
  const std::size_t colon = login.find(':');
  Result<std::string> user = decode(login.substr(0, colon), "user");
  if (!user.ok()) return user.error();
  uri.user = std::move(user).value();
  if (colon != std::string_view::npos) {
    Result<std::string> password = decode(login.substr(colon + 1), "password");
    if (!password.ok()) return password.error();
    uri.password = std::move(password).value();
  }
  return read_host(text.substr(at + 1), uri);
}

Status read_options(std::string_view query, Uri& uri) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view item = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return usage("the options of a URI are name=value, joined by '&'");
    }
    Result<std::string> name = decode(item.substr(0, equals), "options");
    if (!name.ok()) return name.error();
    Result<std::string> value = decode(item.substr(equals + 1), "options");
    if (!value.ok()) return value.error();
    if (!uri.options.emplace(name.value(), std::move(value).value()).second) {
      return usage("the option " + name.value() + " of a URI is given twice");
    }
  }
  return Unit{};
}

bool is_server(std::string_view scheme) {
  return std::find(kServerSchemes.begin(), kServerSchemes.end(), scheme) != kServerSchemes.end();
}

bool is_secret(std::string_view option) {
  const std::string name = ascii::lower(option);
  for (const std::string_view word :
       {"password"sv, "passphrase"sv, "secret"sv, "token"sv, "access-key"sv, "access_key"sv,
        "credential"sv, "signature"sv}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string redacted_query(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view item = query.substr(0, end);
    query.remove_prefix(end);
    const std::size_t equals = item.find('=');
    const bool hide = equals != std::string_view::npos && is_secret(item.substr(0, equals));
    out += hide ? std::string(item.substr(0, equals)) + "=***" : std::string(item);
    if (!query.empty()) {
      out += '&';
      query.remove_prefix(1);
    }
  }
  return out;
}

Status read_tls(const std::map<std::string, std::string>& options, Endpoint& endpoint) {
  const auto value = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  endpoint.tls_ca = value("tls-ca");
  endpoint.tls_cert = value("tls-cert");
  endpoint.tls_key = value("tls-key");
  const auto mode = options.find("tls");
  if (mode != options.end()) {
    const auto found = std::find(kTlsModes.begin(), kTlsModes.end(), mode->second);
    if (found == kTlsModes.end()) {
      return usage("tls=" + mode->second + " is not known" + did_you_mean(mode->second, kTlsModes) +
                   "; it is disabled, preferred, required, verify-ca or verify-identity");
    }
    endpoint.tls = static_cast<TlsMode>(found - kTlsModes.begin());
  } else if (!endpoint.tls_ca.empty()) {
    endpoint.tls = TlsMode::verify_ca;  // who names an authority wants it checked
  }
  if (endpoint.tls_cert.empty() != endpoint.tls_key.empty()) {
    return usage("tls-cert and tls-key are given together or not at all");
  }
  const bool files = !endpoint.tls_ca.empty() || !endpoint.tls_cert.empty();
  if (endpoint.tls == TlsMode::disabled && files) {
    return usage("tls=disabled contradicts tls-ca, tls-cert and tls-key");
  }
  return Unit{};
}

}  // namespace

Result<Uri> parse_uri(std::string_view text) {
  const Result<Pieces> cut_text = cut(text);
  if (!cut_text.ok()) return cut_text.error();
  const Pieces& pieces = cut_text.value();

  Uri uri;
  uri.scheme = ascii::lower(pieces.scheme);
  Status status = read_authority(pieces.authority, uri);
  if (!status.ok()) return status.error();
  Result<std::string> path = decode(pieces.path, "path");
  if (!path.ok()) return path.error();
  uri.path = std::move(path).value();
  if (is_server(uri.scheme) && !uri.path.empty()) uri.path.erase(0, 1);
  status = read_options(pieces.query, uri);
  if (!status.ok()) return status.error();
  return uri;
}

// Hides more rather than less: where the text is not a clean URI, everything up to its last '@' may
// be the password.
std::string redacted(std::string_view uri) {
  const std::size_t mark = uri.find("://");
  if (mark == std::string_view::npos)
    return uri.find('@') == std::string_view::npos ? std::string(uri) : "***";
  const std::size_t start = mark + 3;
  const Result<Uri> parsed = parse_uri(uri);
  const std::size_t authority_end = std::min(uri.find_first_of("/?", start), uri.size());
  const std::size_t query = std::min(uri.find('?', start), uri.size());
  const bool file = ascii::starts_with(uri, "file:");
  const bool clean =
      parsed.ok() && (file || uri.substr(authority_end, query - authority_end).find('@') ==
                                  std::string_view::npos);
  const std::string_view login_area =
      clean ? uri.substr(start, authority_end - start) : uri.substr(start);
  const std::size_t at = login_area.rfind('@');
  std::string out(uri.substr(0, start));
  std::string_view rest = uri.substr(start);
  const std::size_t colon = login_area.find(':');
  if (at != std::string_view::npos && colon < at) {
    out += std::string(login_area.substr(0, colon)) + ":***";
    rest.remove_prefix(at);
  } else if (!clean && at == std::string_view::npos && colon != std::string_view::npos) {
    return out + std::string(login_area.substr(0, colon)) + ":***";
  }
  const std::size_t rest_query = rest.find('?');
  if (rest_query == std::string_view::npos) return out + std::string(rest);
  return out + std::string(rest.substr(0, rest_query + 1)) +
         redacted_query(rest.substr(rest_query + 1));
}

std::string Endpoint::to_string() const {
  if (!socket.empty()) return socket;
  const bool bare_v6 = host.find(':') != std::string::npos;
  return (bare_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  Result<Uri> parsed = parse_uri(text);
  if (!parsed.ok()) return parsed.error();
  Uri& uri = parsed.value();
  if (!is_server(uri.scheme)) {
    return usage("a server's URI begins with mysql:// or mariadb://, not " + uri.scheme + "://" +
                 did_you_mean(uri.scheme, kServerSchemes));
  }
  if (!uri.path.empty()) {
    return usage("a server's URI names no database: only '/' and options may follow the host");
  }
  for (const auto& [name, value] : uri.options) {
    if (std::find(kEndpointOptions.begin(), kEndpointOptions.end(), name) ==
        kEndpointOptions.end()) {
      return usage("unknown option " + name + " in a server's URI" +
                   did_you_mean(name, kEndpointOptions) +
                   "; it takes tls, tls-ca, tls-cert, tls-key and socket");
    }
    if (value.empty()) return usage("the option " + name + " of a server's URI is empty");
  }

  Endpoint endpoint;
  endpoint.user = std::move(uri.user);
  endpoint.password = std::move(uri.password);
  const auto socket = uri.options.find("socket");
  if (socket != uri.options.end()) {
    endpoint.socket = socket->second;
    if (uri.port != 0) return usage("a server's URI names a port or a socket, not both");
  } else {
    if (uri.host.empty()) return usage("a server's URI names a host or a socket");
    if (uri.host.find(',') != std::string::npos) return usage("a server's URI names one host");
    endpoint.host = std::move(uri.host);
    if (uri.port != 0) endpoint.port = uri.port;
  }
  const Status tls = read_tls(uri.options, endpoint);
  if (!tls.ok()) return tls.error();
  return endpoint;
}

}  // namespace wherry
