#include "model/uri.h"

#include <gtest/gtest.h>

namespace wherry {
namespace {

Uri uri_of(std::string_view text) {
  Result<Uri> parsed = parse_uri(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().what);
  return parsed.ok() ? std::move(parsed).value() : Uri();
}

Endpoint endpoint_of(std::string_view text) {
  Result<Endpoint> parsed = parse_endpoint(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().what);
  return parsed.ok() ? std::move(parsed).value() : Endpoint();
}

std::string refusal(std::string_view text) {
  const Result<Endpoint> parsed = parse_endpoint(text);
  if (parsed.ok()) return "accepted";
  EXPECT_EQ(parsed.error().code, Errc::usage);
  return parsed.error().what;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Uri, TakesEveryPart) {
  const Uri uri = uri_of("mysql://us%40er:p%3Aw%0a%25@db.example:3307/?tls=required&tls-ca=/a%20b");
  EXPECT_EQ(uri.scheme, "mysql");
  EXPECT_EQ(uri.user, "us@er");
  EXPECT_EQ(uri.password, "p:w\n%");
  EXPECT_EQ(uri.host, "db.example");
  EXPECT_EQ(uri.port, 3307);
  EXPECT_EQ(uri.path, "");
  EXPECT_EQ(uri.options.at("tls"), "required");
  EXPECT_EQ(uri.options.at("tls-ca"), "/a b");
}

TEST(Uri, OtherSchemes) {
  EXPECT_EQ(uri_of("file:///var/lib/a%20b").path, "/var/lib/a b");
  EXPECT_EQ(uri_of("file:///var/x@y").path, "/var/x@y");
  const Uri s3 = uri_of("s3://bucket/some/prefix?endpoint=http://127.0.0.1:9000&path-style=true");
  EXPECT_EQ(s3.host, "bucket");
  EXPECT_EQ(s3.path, "/some/prefix");
  EXPECT_EQ(s3.options.at("endpoint"), "http://127.0.0.1:9000");
  EXPECT_EQ(uri_of("blackhole://").host, "");
  EXPECT_EQ(uri_of("emulated://?latency=20ms").options.at("latency"), "20ms");
  EXPECT_EQ(uri_of("kafka://a:9092,b:9093/topic").host, "a:9092,b:9093");
  EXPECT_EQ(uri_of("kafka://a:9092/topic").port, 9092);
}

TEST(Uri, PasswordsWithOddCharacters) {
  EXPECT_EQ(uri_of("mysql://u:a@b:c@h/").password, "a@b:c");
  EXPECT_EQ(uri_of("mysql://u:@h/").password, "");
  EXPECT_EQ(uri_of("mysql://u:p#w+x=&@h/").password, "p#w+x=&");
  EXPECT_EQ(uri_of("mysql://u:%f0%9f%90%9f@h/").password, "\xf0\x9f\x90\x9f");
}

TEST(Uri, RefusalsNeverShowThePassword) {
  for (std::string_view text :
       {"mysql://u:secr%et@h/", "mysql://u:secret/x@h/", "mysql://u:secret?x@h/",
        "mysql://u:secret", "mysql://u:secret%0@h/", "mysql://u:secret%@h/",
        "mysql://u:secret%00@h/", "mysql://u:secret@h:port/", "mysql://u:secret@h:0/",
        "mysql://u:secret@h:65536/", "mysql://u:secret@[::1/", "mysql://u:secret@[::1]x/",
        "mysql://u:sec\nret@h/", "mysql://u:secret@h/?tls", "mysql://u:secret@h/?=x",
        "mysql://u:secret@h/?tls=required&tls=required", "u:secret@h", "://u:secret@h",
        "1x://u:secret@h"}) {
    const Result<Uri> parsed = parse_uri(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, Errc::usage);
    EXPECT_FALSE(has(parsed.error().what, "secr")) << parsed.error().what;
    EXPECT_FALSE(has(redacted(text), "secret")) << redacted(text);
  }
}

TEST(Uri, RedactedKeepsTheRest) {
  EXPECT_EQ(redacted("mysql://u:secret@h:3306/?tls=required"),
            "mysql://u:***@h:3306/?tls=required");
  EXPECT_EQ(redacted("mysql://u@h/"), "mysql://u@h/");
  EXPECT_EQ(redacted("mysql://h:3306/"), "mysql://h:3306/");
  EXPECT_EQ(redacted("mysql://u:a@b@h/"), "mysql://u:***@h/");
  EXPECT_EQ(redacted("mysql://u:12/secret@h/"), "mysql://u:***@h/");
  EXPECT_EQ(redacted("s3://b/p?secret-key=k&region=x&access-key=y"),
            "s3://b/p?secret-key=***&region=x&access-key=***");
  EXPECT_EQ(redacted("file:///a@b:c"), "file:///a@b:c");
  EXPECT_EQ(redacted("/just/a/path"), "/just/a/path");
  EXPECT_EQ(redacted("user:secret@host"), "***");
}

TEST(Endpoint, Defaults) {
  const Endpoint endpoint = endpoint_of("mariadb://root@localhost/");
  EXPECT_EQ(endpoint.host, "localhost");
  EXPECT_EQ(endpoint.port, 3306);
  EXPECT_EQ(endpoint.user, "root");
  EXPECT_EQ(endpoint.tls, TlsMode::preferred);
  EXPECT_EQ(endpoint.to_string(), "localhost:3306");
  EXPECT_EQ(endpoint_of("MySQL://h").host, "h");
}

TEST(Endpoint, Sockets) {
  const Endpoint endpoint = endpoint_of("mysql://user:pw@localhost/?socket=/run/my%20sql.sock");
  EXPECT_EQ(endpoint.socket, "/run/my sql.sock");
  EXPECT_EQ(endpoint.host, "");
  EXPECT_EQ(endpoint.to_string(), "/run/my sql.sock");
  EXPECT_EQ(endpoint_of("mysql://u@/?socket=/s").socket, "/s");
  EXPECT_TRUE(has(refusal("mysql://u@h:3306/?socket=/s"), "not both"));
}

TEST(Endpoint, Ipv6) {
  const Endpoint endpoint = endpoint_of("mysql://u@[fe80::1]:3307/");
  EXPECT_EQ(endpoint.host, "fe80::1");
  EXPECT_EQ(endpoint.to_string(), "[fe80::1]:3307");
  EXPECT_EQ(endpoint_of("mysql://u@[::1]").port, 3306);
}

TEST(Endpoint, EveryTlsMode) {
  EXPECT_EQ(endpoint_of("mysql://u@h/?tls=disabled").tls, TlsMode::disabled);
  EXPECT_EQ(endpoint_of("mysql://u@h/?tls=preferred").tls, TlsMode::preferred);
  EXPECT_EQ(endpoint_of("mysql://u@h/?tls=required").tls, TlsMode::required);
  EXPECT_EQ(endpoint_of("mysql://u@h/?tls=verify-ca&tls-ca=/ca").tls, TlsMode::verify_ca);
  EXPECT_EQ(endpoint_of("mysql://u@h/?tls=verify-identity").tls, TlsMode::verify_identity);
  EXPECT_EQ(endpoint_of("mysql://u@h/?tls-ca=/ca").tls, TlsMode::verify_ca);
  const Endpoint both = endpoint_of("mysql://u@h/?tls=required&tls-cert=/c&tls-key=/k");
  EXPECT_EQ(both.tls_cert, "/c");
  EXPECT_EQ(both.tls_key, "/k");
}

TEST(Endpoint, RefusalsNameTheRightWord) {
  EXPECT_TRUE(has(refusal("mysql://u@h/?tls=requred"), "did you mean required?"));
  EXPECT_TRUE(has(refusal("mysql://u@h/?tls_ca=/x"), "did you mean tls-ca?"));
  EXPECT_TRUE(has(refusal("mysql://u@h/?sokcet=/x"), "did you mean socket?"));
  EXPECT_TRUE(has(refusal("mysql://u@h/?zzzzzzzz=1"), "unknown option zzzzzzzz"));
  EXPECT_TRUE(has(refusal("msyql://u@h/"), "did you mean mysql?"));
  EXPECT_TRUE(has(refusal("s3://bucket/x"), "mysql://"));
  EXPECT_TRUE(has(refusal("mysql://u@h/database"), "no database"));
  EXPECT_TRUE(has(refusal("mysql://u@/"), "host or a socket"));
  EXPECT_TRUE(has(refusal("mysql://u@a,b/"), "one host"));
  EXPECT_TRUE(has(refusal("mysql://u@h/?tls-cert=/c"), "together"));
  EXPECT_TRUE(has(refusal("mysql://u@h/?tls=disabled&tls-ca=/c"), "contradicts"));
  EXPECT_TRUE(has(refusal("mysql://u@h/?tls-ca="), "empty"));
}

}  // namespace
}  // namespace wherry
