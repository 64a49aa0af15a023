// What holds for each kind of storage. WHERRY_TEST_STORAGE adds one by its URI, which is how the
// integration tests play the same promises against a server.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <ostream>
#include <thread>

#include "storage/open.h"
#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

using Names = std::vector<std::string>;

struct Kind {
  std::string name;
  std::function<std::string(const std::string& folder)> uri;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::vector<Kind> kinds() {
  std::vector<Kind> all{
      {"file", [](const std::string& folder) { return "file://" + folder; }},
      {"emulated", [](const std::string&) { return "emulated://"; }},
      {"emulated_folder", [](const std::string& folder) { return "emulated://" + folder; }}};
  if (const char* const given = std::getenv("WHERRY_TEST_STORAGE"); given != nullptr) {
    all.push_back({"given", [given](const std::string&) { return std::string(given); }});
  }
  return all;
}

class StorageContract : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Storage>> opened = open_storage(GetParam().uri(folder_.path()));
    ASSERT_EQ(what_of(opened), "ok");
    storage_ = std::move(opened).value();
    remove_all(*storage_, names_in(*storage_));
  }
  void TearDown() override {
    if (storage_ != nullptr) remove_all(*storage_, names_in(*storage_));
  }

  void put(const std::string& name, std::string_view text) {
    EXPECT_EQ(what_of(put_text(*storage_, name, text)), "ok") << name;
  }

  FolderForTests folder_;
  std::unique_ptr<Storage> storage_;
};

TEST_P(StorageContract, WhatWasPutIsRead) {
  const std::string zeroes(3, '\0');
  const std::string first = "first " + zeroes;
  const std::array<Bytes, 3> parts{as_bytes(first), Bytes{}, as_bytes("and second")};
  EXPECT_EQ(what_of(storage_->put("a/b/c.log", parts, {})), "ok");
  EXPECT_EQ(text_of(*storage_, "a/b/c.log"), first + "and second");
  put("a/b/c.log", "shorter");
  EXPECT_EQ(text_of(*storage_, "a/b/c.log"), "shorter");
  put("empty", "");
  EXPECT_EQ(text_of(*storage_, "empty"), "");
  EXPECT_EQ(what_of(storage_->put("nothing", {}, {})), "ok");
  EXPECT_EQ(text_of(*storage_, "nothing"), "");
}

TEST_P(StorageContract, RangesEndWhereTheObjectEnds) {
  put("digits", "0123456789");
  EXPECT_EQ(text_of(*storage_, "digits", 0, 4), "0123");
  EXPECT_EQ(text_of(*storage_, "digits", 3, 3), "345");
  EXPECT_EQ(text_of(*storage_, "digits", 8, 100), "89");
  EXPECT_EQ(text_of(*storage_, "digits", 10, 5), "");
  EXPECT_EQ(text_of(*storage_, "digits", 11, 5), "");
  EXPECT_EQ(text_of(*storage_, "digits", 2, ~std::uint64_t{0}), "23456789");
  EXPECT_EQ(text_of(*storage_, "missing", 0, 1), "lost");
  EXPECT_EQ(text_of(*storage_, "digits/below", 0, 1), "lost");
}

TEST_P(StorageContract, OnlyOneCreatesAName) {
  Result<bool> created = create_text(*storage_, "epoch/1", "mine");
  if (!created.ok() && created.error().code == Errc::unsupported) {
    GTEST_SKIP() << "this store cannot say: " << created.error().what;
  }
  ASSERT_EQ(what_of(created), "ok");
  EXPECT_TRUE(created.value());
  created = create_text(*storage_, "epoch/1", "yours");
  ASSERT_EQ(what_of(created), "ok");
  EXPECT_FALSE(created.value());
  EXPECT_EQ(text_of(*storage_, "epoch/1"), "mine");
  EXPECT_EQ(names_in(*storage_), Names{"epoch/1"});
}

TEST_P(StorageContract, OfSeveralAtOnceOneCreatesAName) {
  std::array<std::optional<bool>, 4> won;
  std::vector<std::thread> racers;
  racers.reserve(won.size());
  for (std::size_t i = 0; i < won.size(); ++i) {
    racers.emplace_back([&, i] {
      // A store may also say that two were at it, which is no answer: the loser asks again.
      for (int tries = 0; tries < 20 && !won[i]; ++tries) {
        const Result<bool> mine = create_text(*storage_, "epoch", std::to_string(i));
        if (mine.ok()) won[i] = mine.value();
      }
    });
  }
  for (std::thread& racer : racers) racer.join();
  EXPECT_EQ(std::count(won.begin(), won.end(), true), 1);
  EXPECT_EQ(std::count(won.begin(), won.end(), false), 3);
  EXPECT_EQ(names_in(*storage_), Names{"epoch"});
}

TEST_P(StorageContract, ListsAscendByWholeNames) {
  const Names wanted{"a",     "a-b", "a.b",   "a0",    "b-/x", "b.c/x",
                     "b/0/z", "b/a", "b/a-1", "b/a.x", "d"};
  Names shuffled = wanted;
  std::reverse(shuffled.begin(), shuffled.end());
  for (const std::string& name : shuffled) put(name, name);
  EXPECT_EQ(names_in(*storage_), wanted);
  EXPECT_EQ(names_in(*storage_, "b"), (Names{"b-/x", "b.c/x", "b/0/z", "b/a", "b/a-1", "b/a.x"}));
  EXPECT_EQ(names_in(*storage_, "b/a"), (Names{"b/a", "b/a-1", "b/a.x"}));
  EXPECT_EQ(names_in(*storage_, "b/"), (Names{"b/0/z", "b/a", "b/a-1", "b/a.x"}));
  EXPECT_EQ(names_in(*storage_, "c"), Names{});
  // Behind each name, each place, and each page size come exactly the others.
  for (std::size_t from = 0; from < wanted.size(); ++from) {
    const Names rest(wanted.begin() + static_cast<std::ptrdiff_t>(from) + 1, wanted.end());
    EXPECT_EQ(names_in(*storage_, "", wanted[from]), rest) << wanted[from];
  }
  EXPECT_EQ(names_in(*storage_, "b", "b/9"), (Names{"b/a", "b/a-1", "b/a.x"}));
  EXPECT_EQ(names_in(*storage_, "b/", "b/a", 1), (Names{"b/a-1"}));
  EXPECT_EQ(names_in(*storage_, "", "", 3), (Names{"a", "a-b", "a.b"}));
  EXPECT_EQ(names_in(*storage_, "", "", 0), Names{});
  const Result<std::vector<Entry>> sizes = storage_->list("b/a", "", 10, {});
  ASSERT_EQ(what_of(sizes), "ok");
  for (const Entry& entry : sizes.value()) EXPECT_EQ(entry.bytes, entry.name.size());
}

TEST_P(StorageContract, PagesJoinToTheWhole) {
  Names wanted;
  for (int i = 0; i < 25; ++i) {
    wanted.push_back("f/" + std::string(i < 10 ? "0" : "") + std::to_string(i));
    put(wanted.back(), "x");
  }
  for (const std::size_t page : {1u, 7u, 25u, 26u}) {
    Names all;
    while (true) {
      const Names some = names_in(*storage_, "f/", all.empty() ? "" : all.back(), page);
      all.insert(all.end(), some.begin(), some.end());
      if (some.size() < page) break;
    }
    EXPECT_EQ(all, wanted) << page;
  }
}

TEST_P(StorageContract, RemovedIsGone) {
  for (const char* const name : {"a/1", "a/2", "b"}) put(name, "x");
  const Names first{"a/1", "a/9", "never/there"};
  EXPECT_EQ(what_of(storage_->remove(first, {})), "ok");
  EXPECT_EQ(names_in(*storage_), (Names{"a/2", "b"}));
  EXPECT_EQ(text_of(*storage_, "a/1"), "lost");
  EXPECT_EQ(what_of(storage_->remove(first, {})), "ok");
  EXPECT_EQ(what_of(storage_->remove({}, {})), "ok");
  put("a/1", "again");
  EXPECT_EQ(names_in(*storage_), (Names{"a/1", "a/2", "b"}));
}

TEST_P(StorageContract, OtherNamesAreRefused) {
  const Bytes part = as_bytes("x");
  const std::string long_part(201, 'a');
  for (const std::string& name :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"), std::string("."),
        std::string("a/../b"), std::string("a b"), std::string("a\xC3\xA4"), std::string("a\\b"),
        std::string("a\0b", 3), std::string("a/.wherry-x"), long_part}) {
    EXPECT_EQ(code_of(storage_->put(name, Parts(&part, 1), {})), "usage") << name;
    EXPECT_EQ(code_of(storage_->create(name, Parts(&part, 1), {})), "usage") << name;
    EXPECT_EQ(code_of(storage_->get(name, 0, 1, {})), "usage") << name;
    EXPECT_EQ(code_of(storage_->remove(std::span(&name, 1), {})), "usage") << name;
  }
  EXPECT_EQ(code_of(storage_->list("a b", "", 1, {})), "usage");
  EXPECT_EQ(code_of(storage_->list("/a", "", 1, {})), "usage");
  EXPECT_EQ(names_in(*storage_), Names{});
  put(std::string(200, 'a') + "/..a/a..b/-_.0", "x");
  EXPECT_EQ(names_in(*storage_).size(), 1u);
}

TEST_P(StorageContract, AStopEndsTheCall) {
  put("a", "old");
  std::stop_source stop;
  stop.request_stop();
  Limits limits;
  limits.stop = stop.get_token();
  EXPECT_EQ(code_of(put_text(*storage_, "a", "new", limits)), "interrupted");
  EXPECT_EQ(code_of(create_text(*storage_, "b", "new", limits)), "interrupted");
  EXPECT_EQ(code_of(storage_->get("a", 0, 1, limits)), "interrupted");
  EXPECT_EQ(code_of(storage_->list("", "", 1, limits)), "interrupted");
  const Names names{"a"};
  EXPECT_EQ(code_of(storage_->remove(names, limits)), "interrupted");
  EXPECT_EQ(text_of(*storage_, "a"), "old");
  EXPECT_EQ(names_in(*storage_), Names{"a"});
}

TEST_P(StorageContract, CallsRunSideBySide) {
  std::vector<std::thread> callers;
  callers.reserve(4);
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        const std::string text(static_cast<std::size_t>(1000 * i), static_cast<char>('a' + t));
        EXPECT_EQ(what_of(put_text(*storage_, name, text)), "ok");
        EXPECT_EQ(text_of(*storage_, name), text);
        const std::vector<std::string> gone{std::to_string(t) + "/" + std::to_string(i - 1)};
        if (i > 0 && i % 2 == 0) remove_all(*storage_, gone);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(names_in(*storage_).size(), 24u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StorageContract, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace wherry::storage
