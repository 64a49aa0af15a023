// A storage that the environment names (WHERRY_TEST_STORAGE), in what only a server can show. The
// integration tests say what has to be true of it.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "storage/open.h"
#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

std::vector<std::string> given() {
  const char* const uri = std::getenv("WHERRY_TEST_STORAGE");
  return uri == nullptr ? std::vector<std::string>{} : std::vector<std::string>{uri};
}

class GivenStorage : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Storage>> opened = open_storage(GetParam());
    ASSERT_EQ(what_of(opened), "ok");
    storage_ = std::move(opened).value();
  }

  std::unique_ptr<Storage> storage_;
};

TEST_P(GivenStorage, KeepsLargeObjects) {
  constexpr std::size_t kPiece = 1 << 20;
  std::vector<std::vector<std::byte>> pieces(23);
  std::vector<Bytes> parts;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t n = 0; n < kPiece + i; ++n)
      pieces[i].push_back(static_cast<std::byte>(n * (i + 3) >> 4));
    parts.emplace_back(pieces[i]);
  }
  ASSERT_EQ(what_of(storage_->put("large/one", parts, {})), "ok");
  std::uint64_t offset = 0;
  for (const Bytes part : parts) {
    const Result<std::vector<std::byte>> read = storage_->get("large/one", offset, part.size(), {});
    ASSERT_EQ(what_of(read), "ok");
    EXPECT_TRUE(std::ranges::equal(read.value(), part)) << offset;
    offset += part.size();
  }
  EXPECT_EQ(text_of(*storage_, "large/one", offset, 1), "");
  EXPECT_EQ(storage_->list("large/one", "", 1, {}).value().at(0).bytes, offset);
  remove_all(*storage_, {"large/one"});
}

TEST_P(GivenStorage, TakesOurKeys) {
  EXPECT_EQ(what_of(put_text(*storage_, "object", "text")), "ok");
  EXPECT_EQ(text_of(*storage_, "object", 1, 2), "ex");
  EXPECT_EQ(names_in(*storage_, "ob"), std::vector<std::string>{"object"});
  remove_all(*storage_, {"object"});
  EXPECT_EQ(text_of(*storage_, "object"), "lost");
}

TEST_P(GivenStorage, RefusesOurKeys) {
  EXPECT_EQ(code_of(put_text(*storage_, "object", "text")), "refused");
  EXPECT_EQ(code_of(create_text(*storage_, "object", "text")), "refused");
  EXPECT_EQ(text_of(*storage_, "object"), "refused");
  EXPECT_EQ(names_in(*storage_), std::vector<std::string>{"refused"});
  const std::vector<std::string> names{"object", "other"};
  EXPECT_EQ(code_of(storage_->remove(names, {})), "refused");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GivenStorage);
INSTANTIATE_TEST_SUITE_P(Given, GivenStorage, testing::ValuesIn(given()));

}  // namespace
}  // namespace wherry::storage
