// Signatures are those that AWS published for its examples.

#include "storage/sigv4.h"

#include <gtest/gtest.h>

#include <array>

namespace wherry::storage {
namespace {

constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// Of the S3 manual, "Authenticating Requests: Using the Authorization Header".
const AwsKeys kManualKeys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};

Signable manual_request(std::string method, std::string path) {
  Signable request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.headers = {{"host", "examplebucket.s3.amazonaws.com"},
                     {"x-amz-content-sha256", std::string(kEmptyHash)},
                     {"x-amz-date", "20130524T000000Z"}};
  request.payload_hash = kEmptyHash;
  return request;
}

std::string manual_signature(const Signable& request) {
  const std::string value = sign(request, {"20130524T000000Z", "us-east-1", "s3"}, kManualKeys);
  return value.substr(value.rfind('=') + 1);
}

TEST(SigV4, GetObjectOfTheManual) {
  Signable request = manual_request("GET", "/test.txt");
  request.headers["range"] = "bytes=0-9";
  EXPECT_EQ(sign(request, {"20130524T000000Z", "us-east-1", "s3"}, kManualKeys),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SigV4, PutObjectOfTheManual) {
  Signable request = manual_request("PUT", encode_path("/test$file.text"));
  const Bytes body = as_bytes("Welcome to Amazon S3.");
  request.payload_hash = sha256_hex(Parts(&body, 1));
  request.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT";
  request.headers["x-amz-content-sha256"] = request.payload_hash;
  request.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY";
  EXPECT_EQ(request.path, "/test%24file.text");
  EXPECT_EQ(manual_signature(request),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(SigV4, BucketLifecycleOfTheManual) {
  Signable request = manual_request("GET", "/");
  request.query = {{"lifecycle", ""}};
  EXPECT_EQ(manual_signature(request),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(SigV4, ListObjectsOfTheManual) {
  Signable request = manual_request("GET", "/");
  request.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(manual_signature(request),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

// Of the signature test suite that AWS publishes: get-vanilla, get-vanilla-query-order-key-case and
// post-x-www-form-urlencoded.
const AwsKeys kSuiteKeys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};

std::string suite_signature(Signable request) {
  request.headers["host"] = "example.amazonaws.com";
  request.headers["x-amz-date"] = "20150830T123600Z";
  const std::string value = sign(request, {"20150830T123600Z", "us-east-1", "service"}, kSuiteKeys);
  return value.substr(value.rfind('=') + 1);
}

TEST(SigV4, RequestsOfTheTestSuite) {
  EXPECT_EQ(suite_signature({"GET", "/", {}, {}, std::string(kEmptyHash)}),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(
      suite_signature(
          {"GET", "/", {{"Param2", "value2"}, {"Param1", "value1"}}, {}, std::string(kEmptyHash)}),
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  const Bytes body = as_bytes("Param1=value1");
  EXPECT_EQ(suite_signature({"POST",
                             "/",
                             {},
                             {{"content-type", "application/x-www-form-urlencoded"}},
                             sha256_hex(Parts(&body, 1))}),
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
}

TEST(SigV4, ABodyInPartsHashesAsOne) {
  const std::array<Bytes, 3> parts{as_bytes("Welcome to"), Bytes{}, as_bytes(" Amazon S3.")};
  EXPECT_EQ(sha256_hex(parts), "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  EXPECT_EQ(sha256_hex({}), kEmptyHash);
  EXPECT_EQ(md5_base64("a\n"), "YLcl8QychccNl4gN/oGRsw==");
}

TEST(SigV4, EncodesWhatIsNotPlain) {
  EXPECT_EQ(encode_path("/a b/~-_.0/\xC3\xA4+=("), "/a%20b/~-_.0/%C3%A4%2B%3D%28");
  EXPECT_EQ(encode_query({{"prefix", "a/b c"}, {"list-type", "2"}, {"delete", ""}}),
            "delete=&list-type=2&prefix=a%2Fb%20c");
}

}  // namespace
}  // namespace wherry::storage
