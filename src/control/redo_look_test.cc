// What is said about a storage that changes while it is read.

#include "control/redo_look.h"

#include <gtest/gtest.h>

#include "redo/cleaner.h"
#include "redo/redo_for_tests.h"

namespace wherry::control {
namespace {

using redo::MemoryStorage;

TEST(RedoVerify, WhatIsRemovedMeanwhileIsNotMissing) {
  MemoryStorage storage;
  redo::write_files(storage, redo::first_claim(), 400, 200);
  const std::vector<std::string> files = storage.names(".redo");
  redo::Cleaner cleaner(storage, "shop");
  bool removed = false;
  storage.on_get = [&](const std::string& name) {
    if (name != files[2] || std::exchange(removed, true)) return;
    ASSERT_TRUE(redo::ok(cleaner.run({})));
  };
  const auto verdict = verify_redo(storage, "shop");
  ASSERT_TRUE(redo::ok(verdict));
  ASSERT_TRUE(removed);
  EXPECT_TRUE(verdict.value().findings.empty()) << verdict.value().findings.front().what;
  EXPECT_EQ(verdict.value().files, 2 + storage.names(".redo").size());
  EXPECT_LT(verdict.value().transactions, 400U);
}

TEST(RedoVerify, WhatIsGoneAboveTheCheckpointIsMissing) {
  MemoryStorage storage;
  redo::write_files(storage, redo::first_claim(), 400, 200);
  const std::vector<std::string> files = storage.names(".redo");
  const std::string& lost = files[files.size() - 2];
  storage.on_get = [&](const std::string& name) {
    if (name == files[2])
      storage.change([&](MemoryStorage::Objects& objects) { objects.erase(lost); });
  };
  const auto verdict = verify_redo(storage, "shop");
  ASSERT_TRUE(redo::ok(verdict));
  ASSERT_EQ(verdict.value().findings.size(), 1U);
  EXPECT_EQ(verdict.value().findings.front().kind, "missing");
  EXPECT_NE(verdict.value().findings.front().what.find(lost), std::string::npos);
}

}  // namespace
}  // namespace wherry::control
