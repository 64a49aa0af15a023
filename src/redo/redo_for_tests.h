// A storage in memory whose every call a test can watch, delay or fail, and streams whose every
// byte follows from their numbers. For tests and benches only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "redo/writer.h"
#include "storage/storage.h"

namespace wherry::redo {

class MemoryStorage : public storage::Storage {
 public:
  using Objects = std::map<std::string, std::vector<std::byte>>;

  // Called before an object of this name is there; its error is the call's. It may wait.
  std::function<Status(const std::string& name, const storage::Limits&)> on_put;
  std::function<void(const std::string& name)> on_get;  // before it is looked for
  // Called after each change, under the lock.
  std::function<void(const Objects&)> after_change;

  Status put(const std::string& name, storage::Parts parts,
             const storage::Limits& limits) override {
    if (on_put) {
      if (Status allowed = on_put(name, limits); !allowed.ok()) return allowed;
    }
    std::vector<std::byte> all;
    for (const Bytes part : parts) all.insert(all.end(), part.begin(), part.end());
    objects_.with([&](Objects& objects) {
      objects[name] = std::move(all);
      if (after_change) after_change(objects);
    });
    ++puts;
    return Unit{};
  }
  Result<bool> create(const std::string& name, storage::Parts parts,
                      const storage::Limits& limits) override {
    if (has(name)) return false;
    Status put_done = put(name, parts, limits);
    if (!put_done.ok()) return put_done.error();
    return true;
  }
  Result<std::vector<std::byte>> get(const std::string& name, std::uint64_t offset,
                                     std::uint64_t bytes, const storage::Limits&) override {
    if (on_get) on_get(name);
    return objects_.read([&](const Objects& objects) -> Result<std::vector<std::byte>> {
      const auto found = objects.find(name);
      if (found == objects.end()) return Error{Errc::lost, "no object " + name};
      const std::vector<std::byte>& all = found->second;
      const std::uint64_t from = std::min<std::uint64_t>(offset, all.size());
      const std::uint64_t to = from + std::min<std::uint64_t>(bytes, all.size() - from);
      return std::vector<std::byte>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                    all.begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
  Result<std::vector<storage::Entry>> list(const std::string& prefix, const std::string& after,
                                           std::size_t count, const storage::Limits&) override {
    return objects_.read([&](const Objects& objects) {
      std::vector<storage::Entry> entries;
      for (auto at = objects.upper_bound(std::max(prefix, after)); at != objects.end(); ++at) {
        if (!at->first.starts_with(prefix) || entries.size() == count) break;
        entries.push_back({at->first, at->second.size()});
      }
      return entries;
    });
  }
  Status remove(std::span<const std::string> names, const storage::Limits&) override {
    objects_.with([&](Objects& objects) {
      for (const std::string& name : names) {
        objects.erase(name);
        if (after_change) after_change(objects);
      }
    });
    return Unit{};
  }
  Status sweep(const std::string& prefix, const storage::Limits&) override {
    swept_.with([&](std::vector<std::string>& swept) { swept.push_back(prefix); });
    return Unit{};
  }
  std::string describe() const override { return "memory"; }
  std::vector<std::string> swept() const {
    return swept_.read([](const std::vector<std::string>& swept) { return swept; });
  }

  bool has(const std::string& name) const {
    return objects_.read([&](const Objects& objects) { return objects.contains(name); });
  }
  Objects objects() const {
    return objects_.read([](const Objects& objects) { return objects; });
  }
  void change(const std::function<void(Objects&)>& call) {
    objects_.with([&](Objects& objects) { call(objects); });
  }
  std::vector<std::string> names(const std::string& suffix) const {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : objects()) {
      if (name.ends_with(suffix)) names.push_back(name);
    }
    return names;
  }

  std::atomic<std::uint64_t> puts{0};

 private:
  Guarded<Objects> objects_;
  Guarded<std::vector<std::string>> swept_;
};

inline std::size_t events_of(std::uint64_t cseq) { return cseq % 4; }
inline std::string text_of(std::uint64_t cseq, std::size_t event, std::size_t bytes) {
  std::string text = fmt::format("event {} of {}:", event, cseq);
  text.resize(std::max(text.size(), bytes), static_cast<char>('a' + (cseq + event) % 26));
  return text;
}

struct StreamShape {
  std::uint64_t first = 1;
  std::uint64_t last = UINT64_MAX;
  std::size_t event_bytes = 100;
  std::function<std::size_t(std::uint64_t)> events = events_of;
};

inline constexpr std::uint64_t kFormat = 7;

// A stream of transactions, as fast as it is read. pause: where it stands still until let go.
class TestStream : public store::RecordSource {
 public:
  explicit TestStream(StreamShape shape) : shape_(std::move(shape)), cseq_(shape_.first) {}

  Result<Step> next(std::chrono::milliseconds wait) override {
    if (interrupted_) return Error{Errc::interrupted, "interrupted"};
    if (cseq_ > shape_.last) {
      idle_.wait_for(wait, [this](int) { return interrupted_.load(); });
      return Step::nothing;
    }
    if (next_event_ < shape_.events(cseq_)) {
      text_ = text_of(cseq_, next_event_++, shape_.event_bytes);
      event_ = store::Event{};
      event_.type = 30;
      event_.table_version = kFormat;
      event_.body = as_bytes(text_);
      return Step::event;
    }
    commit_ = store::Commit{};
    commit_.cseq = cseq_;
    commit_.commit_us = 1'000'000 + cseq_;
    commit_.generation = 1;
    commit_.file = "binlog.000001";
    commit_.end_offset = 100 * cseq_;
    commit_.gtid_number = cseq_;
    commit_.gtid_server = 1;
    ++cseq_;
    next_event_ = 0;
    return Step::commit;
  }
  const store::Event& event() const override { return event_; }
  const store::Commit& commit() const override { return commit_; }
  store::Definition definition(std::uint64_t id) const override {
    return id == kFormat ? std::make_shared<const std::string>("the format") : nullptr;
  }
  void interrupt() override {
    interrupted_ = true;
    idle_.with([](int&) {});
  }

 private:
  const StreamShape shape_;
  std::uint64_t cseq_;
  std::size_t next_event_ = 0;
  std::string text_;
  store::Event event_;
  store::Commit commit_;
  std::atomic<bool> interrupted_{false};
  Guarded<int> idle_{0};
};

// What must hold, with the error's text where it does not.
template <typename R>
bool ok(const R& result) {
  if (!result.ok()) ADD_FAILURE() << result.error().what;
  return result.ok();
}

inline store::Place place_at(std::uint64_t cseq) {
  store::Place place;
  place.cseq = cseq;
  place.generation = 1;
  place.file = {"binlog.000001", 100 * cseq};
  place.commit_us = cseq == 0 ? 0 : 1'000'000 + cseq;
  if (cseq != 0) place.gtid = fmt::format("0-1-{}", cseq);
  return place;
}

inline Claim first_claim(const std::string& feed = "shop", std::uint64_t after = 0) {
  Claim claim;
  claim.feed = feed;
  claim.epoch = {1, 0xABCD};
  claim.dialect = Dialect::mariadb;
  claim.source = "server-a";
  claim.begin = place_at(after);
  return claim;
}

inline constexpr std::chrono::milliseconds kLong{60'000};

// A writer over a stream, with its claim in the storage.
class TestWriter {
 public:
  TestWriter(MemoryStorage& storage, const Claim& claim, StreamShape shape,
             const WriterOptions& options, std::uint64_t checkpoint = 0) {
    const std::string text = encode(claim);
    storage.change([&](MemoryStorage::Objects& objects) {
      const Bytes bytes = as_bytes(text);
      objects[claim_name(claim.feed, claim.epoch.number)] = {bytes.begin(), bytes.end()};
    });
    shape.first = claim.begin.cseq + 1;
    auto made = Writer::make(storage, claim, std::make_unique<TestStream>(std::move(shape)),
                             options, [this](const DurablePtr& durable) { note(durable); });
    if (ok(made)) writer_ = std::move(made).value();
    writer_->set_checkpoint(checkpoint);
    writer_->start();
  }
  Writer& operator*() { return *writer_; }
  Writer* operator->() { return writer_.get(); }
  bool wait_for(std::uint64_t cseq) {
    return moves_.wait_for(kLong, [&](const std::vector<DurablePtr>& moves) {
      return !moves.empty() && newest(moves) >= cseq;
    });
  }
  std::vector<DurablePtr> moves() const {
    return moves_.read([](const std::vector<DurablePtr>& moves) { return moves; });
  }

 private:
  static std::uint64_t newest(const std::vector<DurablePtr>& moves) {
    std::uint64_t cseq = 0;
    for (const DurablePtr& move : moves) cseq = std::max(cseq, move->place.cseq);
    return cseq;
  }
  void note(const DurablePtr& durable) {
    moves_.with([&](std::vector<DurablePtr>& moves) { moves.push_back(durable); });
  }

  Guarded<std::vector<DurablePtr>> moves_;
  std::unique_ptr<Writer> writer_;
};

inline WriterOptions small_writer() {
  WriterOptions options;
  options.uploaders = 3;
  options.encoders = 2;
  options.memory = 1 << 20;
  options.cut.bytes_max = 16 << 10;
  options.cut.age_max = std::chrono::milliseconds(50);
  options.cut.age_idle = std::chrono::milliseconds(1);
  options.collector.block_bytes = 1024;
  options.compress = false;
  return options;
}

// Transactions after the claim's begin through `last`, in files of a few kilobytes.
inline void write_files(MemoryStorage& storage, const Claim& claim, std::uint64_t last,
                        std::uint64_t checkpoint = 0) {
  WriterOptions options = small_writer();
  options.cut.bytes_max = 4 << 10;
  TestWriter writer(storage, claim, {.last = last}, options, checkpoint);
  ASSERT_TRUE(writer.wait_for(last));
  ASSERT_TRUE(ok(writer->stop()));
}

}  // namespace wherry::redo
