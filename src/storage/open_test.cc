// A URI opens the storage that it names, or says what is wrong with it.

#include "storage/open.h"

#include <thread>

#include "storage/storage_for_tests.h"

namespace wherry::storage {
namespace {

std::string opened(std::string_view uri) {
  const Result<std::unique_ptr<Storage>> storage = open_storage(uri);
  if (storage.ok()) return storage.value()->describe();
  return code_of(storage) + ": " + storage.error().what;
}

void expect_refused(std::string_view uri, std::string_view because) {
  const std::string said = opened(uri);
  EXPECT_TRUE(said.starts_with("usage: storage: ")) << uri << " gives " << said;
  EXPECT_NE(said.find(because), std::string::npos) << uri << " gives " << said;
}

TEST(OpenStorage, KnowsItsSchemes) {
  EXPECT_EQ(opened("file:///var/redo/"), "file:///var/redo");
  EXPECT_EQ(opened("s3://KEY:SECRET@bucket/redo/?endpoint=http://127.0.0.1:9000&region=r"),
            "s3://bucket/redo/ at http://127.0.0.1:9000");
  EXPECT_EQ(opened("emulated://?latency=50ms&sigma=0.8&bandwidth=10MiB&link=1GiB&errors=0.01"
                   "&torn=0.01&lost=0.001&stale=5s&seed=7"),
            "emulated in front of memory");
  EXPECT_EQ(opened("emulated:///var/redo"), "emulated in front of file:///var/redo");
  EXPECT_EQ(opened("blackhole://"), "blackhole://");
  EXPECT_EQ(opened("blackhole://?latency=20ms"), "blackhole://");
}

TEST(OpenStorage, NamesTheNearestRightWord) {
  expect_refused("flie:///x", "did you mean file?");
  expect_refused("blackhol://", "did you mean blackhole?");
  expect_refused("emulate://", "did you mean emulated?");
  expect_refused("emulated://?error=1", "did you mean errors?");
  expect_refused("s3://bucket/x?regoin=r", "did you mean region?");
  expect_refused("gopher://x", "no storage is reached by gopher://");
  expect_refused("blackhole://?latncy=1s", "did you mean latency?");
  expect_refused("file:///x?latency=1s", "unknown option latency");
  expect_refused("/var/redo", "a URI begins with scheme://");
}

TEST(OpenStorage, RefusesWhatItWouldHaveToGuess) {
  expect_refused("file://host/path", "names no host");
  expect_refused("file://", "names a folder");
  expect_refused("emulated://host", "the path of a folder");
  expect_refused("emulated://?errors=1.5", "no number from 0 to 1");
  expect_refused("emulated://?torn=nan", "no number from 0 to 1");
  expect_refused("emulated://?seed=-1", "no whole number");
  expect_refused("emulated://?bandwidth=fast", "bandwidth");
  expect_refused("blackhole://host", "options only");
  expect_refused("blackhole://?latency=5", "latency");
  expect_refused("blackhole://?latency=", "latency");
}

TEST(OpenStorage, ABlackholeKeepsNothing) {
  ManualClock clock;
  Result<std::unique_ptr<Storage>> storage = open_storage("blackhole://?latency=20ms", clock);
  ASSERT_EQ(what_of(storage), "ok");
  std::thread caller([&] {
    EXPECT_EQ(what_of(put_text(*storage.value(), "a", "x")), "ok");
    EXPECT_TRUE(create_text(*storage.value(), "a", "x").value());
    EXPECT_TRUE(create_text(*storage.value(), "a", "x").value());
    EXPECT_EQ(names_in(*storage.value()), std::vector<std::string>{});
    EXPECT_EQ(text_of(*storage.value(), "a"), "lost");
    remove_all(*storage.value(), {"a"});
    EXPECT_EQ(code_of(put_text(*storage.value(), "a b", "x")), "usage");
    Limits limits;
    limits.timeout = std::chrono::milliseconds(19);
    EXPECT_EQ(code_of(put_text(*storage.value(), "a", "x", limits)), "timeout");
  });
  const Clock::Time begin = clock.now();
  for (int calls = 0; calls < 7; ++calls) clock.advance_to_next();
  caller.join();
  EXPECT_EQ(clock.now() - begin, std::chrono::milliseconds(6 * 20 + 19));
}

}  // namespace
}  // namespace wherry::storage
