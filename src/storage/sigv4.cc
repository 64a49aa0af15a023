#include "storage/sigv4.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "support/ascii.h"

namespace wherry::storage {
namespace {

using Digest = std::array<unsigned char, 32>;

std::string hex(const Digest& digest) {
  std::string out;
  for (const unsigned char byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

// OpenSSL fails at these only without memory.
void must(bool done) {
  if (!done) std::abort();
}

Digest sha256(Parts parts) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(),
                                                                      EVP_MD_CTX_free);
  Digest digest{};
  must(state != nullptr && EVP_DigestInit_ex(state.get(), EVP_sha256(), nullptr) == 1);
  for (const Bytes part : parts) must(EVP_DigestUpdate(state.get(), part.data(), part.size()) == 1);
  must(EVP_DigestFinal_ex(state.get(), digest.data(), nullptr) == 1);
  return digest;
}

Digest hmac(std::string_view key, std::string_view text) {
  Digest digest{};
  unsigned size = 0;
  must(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
            &size) != nullptr);
  return digest;
}

std::string_view as_key(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string encode(std::string_view text, bool keep_slash) {
  std::string out;
  for (const char c : text) {
    const bool plain = ascii::letter(c) || ascii::digit(c) || c == '-' || c == '_' || c == '.' ||
                       c == '~' || (c == '/' && keep_slash);
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string signed_names(const Signable& request) {
  std::string names;
  for (const auto& [name, value] : request.headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

std::string canonical(const Signable& request) {
  std::string text = request.method + "\n" + request.path + "\n" + encode_query(request.query);
  text += "\n";
  for (const auto& [name, value] : request.headers) text += fmt::format("{}:{}\n", name, value);
  return text + "\n" + signed_names(request) + "\n" + request.payload_hash;
}

}  // namespace

std::string encode_path(std::string_view path) { return encode(path, true); }

std::string encode_query(const QueryPairs& query) {
  std::vector<std::pair<std::string, std::string>> encoded;
  for (const auto& [name, value] : query)
    encoded.emplace_back(encode(name, false), encode(value, false));
  std::sort(encoded.begin(), encoded.end());
  std::string out;
  for (const auto& [name, value] : encoded)
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", name, value);
  return out;
}

std::string sha256_hex(Parts parts) { return hex(sha256(parts)); }

std::string md5_base64(std::string_view text) {
  std::array<unsigned char, 16> digest{};
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr) != 1)
    return {};
  std::array<unsigned char, 25> encoded{};
  const int size = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size)};
}

std::string sign(const Signable& request, const SigningScope& scope, const AwsKeys& keys) {
  const std::string day = scope.time.substr(0, 8);
  const std::string place = fmt::format("{}/{}/{}/aws4_request", day, scope.region, scope.service);
  const std::string request_text = canonical(request);
  const Bytes request_bytes = as_bytes(request_text);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", scope.time, place,
                                          sha256_hex(Parts(&request_bytes, 1)));
  const Digest day_key = hmac("AWS4" + keys.secret_key, day);
  const Digest region_key = hmac(as_key(day_key), scope.region);
  const Digest service_key = hmac(as_key(region_key), scope.service);
  const Digest key = hmac(as_key(service_key), "aws4_request");
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{},SignedHeaders={},Signature={}",
                     keys.access_key, place, signed_names(request),
                     hex(hmac(as_key(key), to_sign)));
}

}  // namespace wherry::storage
