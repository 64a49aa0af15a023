// Requests to S3 are what it expects, and its answers mean what they should.

#include "storage/s3_storage.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "storage/s3_for_tests.h"
#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using Names = std::vector<std::string>;

class S3StorageTest : public testing::Test {
 protected:
  S3StorageTest() { begin(); }

  void begin() {
    S3Options options;
    options.bucket = "bucket";
    options.prefix = "redo/";
    options.region = "region";
    options.https = false;
    options.host = "127.0.0.1:1";
    options.path_style = true;
    options.multipart_above = 100;
    options.part_bytes = 40;
    options.parts_at_once = 3;
    auto server = std::make_unique<S3ForTests>();
    server_ = server.get();
    storage_ = std::make_unique<S3Storage>(
        S3Setup{options, Credentials(AwsKeys{"KEY", "SECRETSECRET", "TOKENTOKEN"})},
        std::move(server), [this] { return now_; });
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const SeenRequest& request : server_->seen()) lines.push_back(request.line);
    return lines;
  }
  void always(unsigned status, const std::string& code, const std::string& message = "told so") {
    server_->answer([=](const SeenRequest&) { return S3ForTests::fault(status, code, message); });
  }

  std::chrono::system_clock::time_point now_{std::chrono::seconds(1369353600)};  // 2013-05-24
  S3ForTests* server_ = nullptr;
  std::unique_ptr<S3Storage> storage_;
};

TEST_F(S3StorageTest, RequestsAreSignedAndRelativeToThePrefix) {
  EXPECT_EQ(what_of(put_text(*storage_, "a/b.log", "text")), "ok");
  const SeenRequest request = server_->seen().at(0);
  EXPECT_EQ(request.line, "PUT /bucket/redo/a/b.log");
  EXPECT_EQ(request.headers.at("host"), "127.0.0.1:1");
  EXPECT_EQ(request.headers.at("x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(request.headers.at("x-amz-security-token"), "TOKENTOKEN");
  const Bytes body = as_bytes("text");
  EXPECT_EQ(request.headers.at("x-amz-content-sha256"), sha256_hex(Parts(&body, 1)));
  EXPECT_TRUE(request.headers.at("authorization")
                  .starts_with("AWS4-HMAC-SHA256 Credential=KEY/20130524/region/s3/aws4_request,"
                               "SignedHeaders=host;x-amz-content-sha256;x-amz-date;"
                               "x-amz-security-token,Signature="));
  EXPECT_EQ(server_->objects().at("redo/a/b.log"), "text");
}

TEST_F(S3StorageTest, ObjectsComeAndGo) {
  for (const char* const name : {"a/1", "a/2", "b"})
    EXPECT_TRUE(put_text(*storage_, name, name).ok());
  EXPECT_EQ(text_of(*storage_, "a/1"), "a/1");
  EXPECT_EQ(text_of(*storage_, "a/1", 1, 1), "/");
  EXPECT_EQ(text_of(*storage_, "a/1", 3, 1), "");
  EXPECT_EQ(text_of(*storage_, "a/1", 1, 0), "");
  EXPECT_EQ(text_of(*storage_, "a/3"), "lost");
  EXPECT_EQ(names_in(*storage_), (Names{"a/1", "a/2", "b"}));
  EXPECT_EQ(names_in(*storage_, "a/", "a/1"), Names{"a/2"});
  EXPECT_EQ(lines().back(),
            "GET /bucket?list-type=2&max-keys=1000&prefix=redo%2Fa%2F&start-after=redo%2Fa%2F1");
  remove_all(*storage_, {"a/1", "a/9", "b"});
  EXPECT_EQ(lines().back(), "POST /bucket?delete=");
  EXPECT_EQ(names_in(*storage_), Names{"a/2"});
  remove_all(*storage_, {"a/2"});
  EXPECT_EQ(lines().back(), "DELETE /bucket/redo/a/2");
  remove_all(*storage_, {});
  EXPECT_EQ(lines().back(), "DELETE /bucket/redo/a/2");
}

TEST_F(S3StorageTest, ListsGoOnUntilTheyEnd) {
  Names wanted;
  for (int i = 0; i < 2500; ++i) {
    wanted.push_back(std::to_string(10'000 + i));
    EXPECT_TRUE(put_text(*storage_, wanted.back(), "x").ok());
  }
  const std::size_t before = lines().size();
  EXPECT_EQ(names_in(*storage_), wanted);
  EXPECT_EQ(lines().size() - before, 3u);
  EXPECT_EQ(names_in(*storage_, "", "", 1500).size(), 1500u);
  EXPECT_NE(lines().back().find("max-keys=500"), std::string::npos);
}

TEST_F(S3StorageTest, WhatIsNotOursIsNotListed) {
  const auto list = [&](const std::string& contents) {
    server_->answer([=](const SeenRequest&) {
      return S3ForTests::say(200, "<ListBucketResult>" + contents + "</ListBucketResult>");
    });
  };
  const auto entry = [](const std::string& key) {
    return "<Contents><Key>" + key + "</Key><Size>1</Size></Contents>";
  };
  list(entry("redo/.wherry-probe-1") + entry("redo/a") + entry("redo/b b") + entry("redo/c"));
  EXPECT_EQ(names_in(*storage_), (Names{"a", "c"}));
  EXPECT_EQ(names_in(*storage_, "", "a"), Names{"c"});  // a server that ignores start-after
  list(entry("redo/b") + entry("redo/a"));
  EXPECT_EQ(names_in(*storage_), Names{"unsupported"});
  list("<Contents><Key>redo/a</Key><Size>x</Size></Contents>");
  EXPECT_EQ(names_in(*storage_), Names{"malformed"});
  list("<IsTruncated>true</IsTruncated>");
  EXPECT_EQ(names_in(*storage_), Names{"malformed"});
}

TEST_F(S3StorageTest, AProbeFindsOutWhetherOneCanCreate) {
  Result<bool> created = create_text(*storage_, "epoch", "1");
  ASSERT_EQ(what_of(created), "ok");
  EXPECT_TRUE(created.value());
  EXPECT_EQ(lines().size(), 4u);  // two puts and a removal of the probe, and the object
  EXPECT_FALSE(create_text(*storage_, "epoch", "2").value());
  EXPECT_EQ(lines().size(), 5u);
  EXPECT_EQ(server_->objects().size(), 1u);
  EXPECT_EQ(server_->objects().at("redo/epoch"), "1");
}

TEST_F(S3StorageTest, WithoutTheConditionNobodyCreates) {
  for (const auto condition :
       {S3ForTests::Condition::ignored, S3ForTests::Condition::unsupported}) {
    begin();
    server_->set_condition(condition);
    EXPECT_EQ(code_of(create_text(*storage_, "epoch", "1")), "unsupported");
    EXPECT_EQ(code_of(create_text(*storage_, "epoch", "1")), "unsupported");
    EXPECT_EQ(server_->objects().size(), 0u);
  }
  begin();
  always(503, "SlowDown");
  EXPECT_EQ(code_of(create_text(*storage_, "epoch", "1")), "server");
  server_->answer({});
  EXPECT_EQ(code_of(create_text(*storage_, "epoch", "1")), "ok");
}

TEST_F(S3StorageTest, LargeObjectsGoInParts) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += static_cast<char>('a' + i % 26);
  const std::array<Bytes, 3> parts{as_bytes(text).first(33), as_bytes(text).subspan(33, 90),
                                   as_bytes(text).subspan(123)};
  EXPECT_EQ(what_of(storage_->put("big", parts, {})), "ok");
  EXPECT_EQ(text_of(*storage_, "big"), text);
  EXPECT_EQ(server_->open_uploads(), 0u);
  const std::vector<SeenRequest> seen = server_->seen();
  ASSERT_EQ(seen.size(), 7u);  // begin, four parts, end, and the read
  EXPECT_EQ(seen[0].line, "POST /bucket/redo/big?uploads=");
  EXPECT_NE(seen[5].body.find("<PartNumber>4</PartNumber><ETag>\"tag-4\"</ETag>"),
            std::string::npos)
      << seen[5].body;
}

TEST_F(S3StorageTest, AFailedPartTakesTheWholeBack) {
  const std::string text(150, 'x');
  server_->answer([](const SeenRequest& request) -> std::optional<Result<HttpAnswer>> {
    if (request.line.find("partNumber=2") == std::string::npos) return std::nullopt;
    return Result<HttpAnswer>(S3ForTests::fault(500, "InternalError"));
  });
  EXPECT_EQ(code_of(put_text(*storage_, "big", text)), "server");
  EXPECT_EQ(server_->open_uploads(), 0u);
  EXPECT_EQ(text_of(*storage_, "big"), "lost");
  // The end of an upload may fail behind a status that says it succeeded.
  server_->answer([](const SeenRequest& request) -> std::optional<Result<HttpAnswer>> {
    if (!request.line.starts_with("POST /bucket/redo/big?uploadId")) return std::nullopt;
    return Result<HttpAnswer>(S3ForTests::fault(200, "InternalError"));
  });
  EXPECT_EQ(code_of(put_text(*storage_, "big", text)), "server");
  EXPECT_EQ(server_->open_uploads(), 0u);
  server_->answer([](const SeenRequest& request) -> std::optional<Result<HttpAnswer>> {
    if (!request.line.starts_with("POST /bucket/redo/big?uploadId")) return std::nullopt;
    return Result<HttpAnswer>(S3ForTests::say(200, "<Complete></Complete>"));
  });
  EXPECT_EQ(code_of(put_text(*storage_, "big", text)), "network");
  EXPECT_EQ(server_->open_uploads(), 0u);
}

TEST_F(S3StorageTest, BatchesOfRemovalsFallBack) {
  for (const char* const name : {"a", "b", "c"}) EXPECT_TRUE(put_text(*storage_, name, "x").ok());
  server_->forbid_batches();
  remove_all(*storage_, {"a", "b"});
  remove_all(*storage_, {"c", "d"});
  EXPECT_EQ(server_->objects().size(), 0u);
  const std::vector<std::string> all = lines();
  EXPECT_EQ(std::count(all.begin(), all.end(), "POST /bucket?delete="), 1);
}

TEST_F(S3StorageTest, AnErrorInABatchIsSeen) {
  const Names names{"a", "b"};
  const auto answer = [&](const std::string& code) {
    server_->answer([=](const SeenRequest&) {
      return S3ForTests::say(200, "<DeleteResult><Error><Key>redo/b</Key><Code>" + code +
                                      "</Code><Message>m</Message></Error></DeleteResult>");
    });
  };
  answer("AccessDenied");
  EXPECT_EQ(code_of(storage_->remove(names, {})), "refused");
  answer("InternalError");
  EXPECT_EQ(code_of(storage_->remove(names, {})), "server");
  answer("NoSuchKey");
  EXPECT_EQ(code_of(storage_->remove(names, {})), "ok");
}

TEST_F(S3StorageTest, EachAnswerHasItsKind) {
  struct Case {
    unsigned status;
    const char* code;
    const char* kind;
  };
  for (const Case& one : std::vector<Case>{{403, "AccessDenied", "refused"},
                                           {403, "", "refused"},
                                           {401, "", "refused"},
                                           {400, "ExpiredToken", "refused"},
                                           {301, "PermanentRedirect", "refused"},
                                           {404, "NoSuchBucket", "refused"},
                                           {404, "NoSuchKey", "lost"},
                                           {404, "", "lost"},
                                           {400, "RequestTimeout", "timeout"},
                                           {409, "OperationAborted", "server"},
                                           {429, "", "server"},
                                           {500, "InternalError", "server"},
                                           {503, "SlowDown", "server"},
                                           {501, "NotImplemented", "unsupported"},
                                           {400, "BadDigest", "network"}}) {
    always(one.status, one.code);
    const Status done = put_text(*storage_, "a", "x");
    EXPECT_EQ(code_of(done), one.kind) << one.status << one.code;
    EXPECT_EQ(done.error().server_code, one.status);
  }
  always(404, "");
  EXPECT_EQ(names_in(*storage_), Names{"refused"});
  server_->answer([](const SeenRequest&) { return S3ForTests::say(502, "<html>bad gateway"); });
  EXPECT_EQ(what_of(put_text(*storage_, "a", "x")), "PUT redo/a: 502");
}

TEST_F(S3StorageTest, MessagesHelpAndKeepSecrets) {
  server_->answer([](const SeenRequest&) {
    HttpAnswer answer =
        S3ForTests::fault(400, "AuthorizationHeaderMalformed", "not SECRETSECRET\nTOKENTOKEN");
    answer.headers["x-amz-bucket-region"] = "eu-west-1";
    answer.headers["x-amz-request-id"] = "R1";
    return answer;
  });
  EXPECT_EQ(what_of(put_text(*storage_, "a", "x")),
            "PUT redo/a: 400 AuthorizationHeaderMalformed: not ***?***; the bucket is in "
            "region=eu-west-1 (request R1)");
  server_->answer([](const SeenRequest&) -> Result<HttpAnswer> {
    return Error{Errc::network, "cannot reach SECRETSECRET"};
  });
  EXPECT_EQ(what_of(put_text(*storage_, "a", "x")), "PUT redo/a: cannot reach ***");
}

TEST_F(S3StorageTest, AWrongClockIsSetByTheServers) {
  std::atomic<int> asked{0};
  server_->answer([&](const SeenRequest& request) -> std::optional<Result<HttpAnswer>> {
    ++asked;
    if (request.headers.at("x-amz-date") == "20130524T011500Z") return std::nullopt;
    HttpAnswer answer = S3ForTests::fault(403, "RequestTimeTooSkewed");
    answer.headers["date"] = "Fri, 24 May 2013 01:15:00 GMT";
    return Result<HttpAnswer>(std::move(answer));
  });
  EXPECT_EQ(what_of(put_text(*storage_, "a", "x")), "ok");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(what_of(put_text(*storage_, "b", "x")), "ok");
  EXPECT_EQ(asked, 3);
  always(403, "RequestTimeTooSkewed");  // and says no time
  EXPECT_EQ(code_of(put_text(*storage_, "c", "x")), "refused");
}

TEST_F(S3StorageTest, AnotherRangeThanAskedForIsNoAnswer) {
  const auto answer = [&](unsigned status, const std::string& range) {
    server_->answer([=](const SeenRequest&) {
      HttpAnswer whole = S3ForTests::say(status, "0123456789");
      if (!range.empty()) whole.headers["content-range"] = range;
      return whole;
    });
  };
  answer(200, "");
  EXPECT_EQ(text_of(*storage_, "a", 0, 4), "0123");
  EXPECT_EQ(text_of(*storage_, "a", 1, 4), "unsupported");
  answer(206, "bytes 0-9/10");
  EXPECT_EQ(text_of(*storage_, "a", 1, 10), "unsupported");
  EXPECT_EQ(text_of(*storage_, "a", 0, 5), "unsupported");
  EXPECT_EQ(text_of(*storage_, "a", 0, 10), "0123456789");
}

}  // namespace
}  // namespace wherry::storage
