// An s3:// URI and the environment say where the bucket is and who asks, and no message says more.

#include "storage/s3_options.h"

#include <fstream>
#include <map>

#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using Variables = std::map<std::string, std::string>;

Result<S3Setup> setup_of(const std::string& text, const Variables& variables = {}) {
  const Result<Uri> uri = parse_uri(text);
  if (!uri.ok()) return uri.error();
  return read_s3_uri(uri.value(), [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

S3Options options_of(const std::string& text, const Variables& variables = {}) {
  Result<S3Setup> setup = setup_of(text, variables);
  EXPECT_EQ(what_of(setup), "ok") << text;
  return setup.ok() ? std::move(setup).value().options : S3Options{};
}

std::string keys_of(Result<S3Setup> setup) {
  if (!setup.ok()) return code_of(setup) + ": " + setup.error().what;
  const Result<AwsKeys> keys = setup.value().credentials.current();
  if (!keys.ok()) return code_of(keys) + ": " + keys.error().what;
  return keys.value().access_key + "/" + keys.value().secret_key + "/" + keys.value().session_token;
}

TEST(S3Options, AwsIsTheUsualPlace) {
  const S3Options options = options_of("s3://bucket/a/b/?region=eu-west-1");
  EXPECT_EQ(options.bucket, "bucket");
  EXPECT_EQ(options.prefix, "a/b/");
  EXPECT_EQ(options.host, "s3.eu-west-1.amazonaws.com");
  EXPECT_TRUE(options.https);
  EXPECT_FALSE(options.path_style);
  EXPECT_EQ(options.describe(), "s3://bucket/a/b/ at https://s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(options_of("s3://bucket").prefix, "");
  EXPECT_EQ(options_of("s3://bucket?region=cn-north-1").host, "s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(options_of("s3://bucket").region, "us-east-1");
  EXPECT_TRUE(options_of("s3://dotted.bucket").path_style);
}

TEST(S3Options, AnEndpointIsAnotherPlace) {
  const S3Options options = options_of(
      "s3://bucket?endpoint=http://[::1]:9000&region=r&multipart-above=32MiB"
      "&part-size=8MiB&parts-at-once=2&tls-ca=/ca.pem");
  EXPECT_EQ(options.host, "[::1]:9000");
  EXPECT_FALSE(options.https);
  EXPECT_TRUE(options.path_style);
  EXPECT_EQ(options.multipart_above, 32u << 20);
  EXPECT_EQ(options.part_bytes, 8u << 20);
  EXPECT_EQ(options.parts_at_once, 2u);
  EXPECT_EQ(options.tls_ca, "/ca.pem");
  EXPECT_FALSE(options_of("s3://bucket?endpoint=https://x&path-style=false").path_style);
  EXPECT_EQ(options_of("s3://bucket?endpoint=https://x:443").host, "x");
  EXPECT_EQ(options_of("s3://bucket?endpoint=http://x:443").host, "x:443");
  EXPECT_EQ(options_of("s3://bucket", {{"AWS_ENDPOINT_URL_S3", "http://y:1"}}).host, "y:1");
  EXPECT_EQ(options_of("s3://bucket", {{"AWS_REGION", "from-env"}}).region, "from-env");
}

TEST(S3Options, WrongOnesAreRefused) {
  for (const char* const uri :
       {"s3://", "s3://ab", "s3://bucket:1/x", "s3://bucket?endpoint=x:9000",
        "s3://bucket?endpoint=ftp://x", "s3://bucket?endpoint=http://x/path",
        "s3://bucket?path-style=yes", "s3://bucket/a b", "s3://bucket/a//b",
        "s3://bucket?part-size=1MiB", "s3://bucket?multipart-above=1MiB",
        "s3://bucket?parts-at-once=0", "s3://bucket?key=1", "s3://onlykey@bucket"}) {
    EXPECT_EQ(code_of(setup_of(uri)), "usage") << uri;
  }
  const std::string said = keys_of(setup_of("s3://KEY:Zq7Secret@bucket/x?regoin=1"));
  EXPECT_NE(said.find("did you mean region?"), std::string::npos) << said;
  EXPECT_EQ(said.find("Zq7Secret"), std::string::npos) << said;
}

TEST(S3Credentials, TheNearestPlaceCounts) {
  const Variables env{
      {"AWS_ACCESS_KEY_ID", "EK"}, {"AWS_SECRET_ACCESS_KEY", "ES"}, {"AWS_SESSION_TOKEN", "ET"}};
  EXPECT_EQ(keys_of(setup_of("s3://UK:U%2FS@bucket", env)), "UK/U/S/");
  EXPECT_EQ(keys_of(setup_of("s3://bucket", env)), "EK/ES/ET");
  EXPECT_TRUE(keys_of(setup_of("s3://bucket", {{"AWS_ACCESS_KEY_ID", "EK"}})).starts_with("usage"));

  const FolderForTests folder;
  const std::string path = folder.path() + "/keys";
  std::ofstream(path) << "# mine\n[default]\naws_access_key_id = FK\n"
                         "aws_secret_access_key=F=S\n\n[other]\n aws_access_key_id=OK\r\n"
                         "aws_secret_access_key = OS\naws_session_token = OT\n[half]\n"
                         "aws_access_key_id=HK\n";
  EXPECT_EQ(keys_of(setup_of("s3://bucket?credentials=" + path, env)), "FK/F=S/");
  EXPECT_EQ(keys_of(setup_of("s3://bucket?profile=other&credentials=" + path, env)), "OK/OS/OT");
  EXPECT_EQ(keys_of(setup_of("s3://bucket", {{"AWS_SHARED_CREDENTIALS_FILE", path}})), "FK/F=S/");
  EXPECT_EQ(keys_of(setup_of("s3://bucket",
                             {{"AWS_SHARED_CREDENTIALS_FILE", path}, {"AWS_PROFILE", "other"}})),
            "OK/OS/OT");
  EXPECT_EQ(keys_of(setup_of("s3://bucket?profile=half&credentials=" + path)),
            "refused: the credentials file " + path +
                ": its profile [half] lacks aws_access_key_id or aws_secret_access_key");
  EXPECT_EQ(keys_of(setup_of("s3://bucket?profile=none&credentials=" + path)),
            "refused: the credentials file " + path + ": it has no profile [none]");
  EXPECT_EQ(keys_of(setup_of("s3://bucket", {{"HOME", folder.path()}})),
            "refused: the credentials file " + folder.path() + "/.aws/credentials cannot be read");
}

TEST(S3Credentials, AFileThatChangesIsReadAgain) {
  const FolderForTests folder;
  const std::string path = folder.path() + "/keys";
  const auto write = [&](const std::string& key, int age_s) {
    std::ofstream(path) << "[default]\naws_access_key_id=" << key << "\naws_secret_access_key=S\n";
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(age_s));
  };
  write("first", 100);
  Credentials credentials(CredentialsFile{path, "default"});
  EXPECT_EQ(credentials.current().value().access_key, "first");
  write("second", 50);
  EXPECT_EQ(credentials.current().value().access_key, "second");
}

}  // namespace
}  // namespace wherry::storage
