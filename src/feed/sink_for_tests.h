// An asynchronous sink that does nothing by itself: the test says what becomes durable, and when.
// For tests only.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "decode/value.h"
#include "dispatch/async_sink.h"
#include "support/guarded.h"

namespace wherry::feed {

class HeldSink final : public dispatch::AsyncSink {
 public:
  struct Part {  // one hand-over
    std::uint64_t stream = 0;
    std::uint64_t ticket = 0;
    std::uint64_t first_cseq = 0;
    std::vector<std::string> rows;  // "cseq:id"
  };
  struct Seen {
    std::map<std::string, std::vector<std::string>> log;  // by target: rows and "ddl cseq"
    std::map<std::string, std::deque<Part>> waiting;      // not durable yet
    std::deque<dispatch::BlockEvent> blocks;              // not durable yet
    std::uint64_t handed_over = 0;
    bool closed = false;
  };

  bool at_once = false;  // everything is durable before accept() returns

  Status start(Listener& listener) override {
    listener_ = &listener;
    return Unit{};
  }
  void accept(std::unique_ptr<dispatch::TableRows> rows) override {
    Part part{rows->stream, rows->ticket, rows->origins.front().cseq, {}};
    const Status read = dispatch::for_each_change(*rows, [&](const dispatch::ChangeView& change) {
      const auto& cells =
          change.kind == decode::RowKind::erase ? change.row.before : change.row.after;
      std::string id;
      (void)decode::append_text(change.table.map.columns[0], cells[0], id);
      if (change.wanted) part.rows.push_back(std::to_string(change.origin.cseq) + ":" + id);
      return Status(Unit{});
    });
    EXPECT_TRUE(read.ok());
    const std::string target = rows->target.to_string();
    seen_.with([&](Seen& seen) {
      auto& log = seen.log[target];
      log.insert(log.end(), part.rows.begin(), part.rows.end());
      ++seen.handed_over;
      if (!at_once) seen.waiting[target].push_back(part);
    });
    if (at_once) listener_->durable(part.stream, part.ticket);
  }
  void write_block_event(dispatch::BlockEvent event) override {
    const std::uint64_t id = event.id;
    seen_.with([&](Seen& seen) {
      const std::string text = "ddl " + std::to_string(event.origin.cseq);
      for (const TableName& target : event.targets) seen.log[target.to_string()].push_back(text);
      seen.log["statements"].push_back(text);
      if (!at_once) seen.blocks.push_back(std::move(event));
    });
    if (at_once) listener_->block_event_durable(id);
  }
  void close() override {
    seen_.with([](Seen& seen) { seen.closed = true; });
  }
  std::uint64_t changes() const override { return 0; }
  std::map<std::string, double> gauges() const override { return {}; }

  // The oldest hand-over of the target becomes durable. False: there is none.
  bool finish_one(const std::string& target) {
    const auto part = seen_.with([&](Seen& seen) -> std::optional<Part> {
      auto& waiting = seen.waiting[target];
      if (waiting.empty()) return std::nullopt;
      Part first = std::move(waiting.front());
      waiting.pop_front();
      return first;
    });
    if (part) listener_->durable(part->stream, part->ticket);
    return part.has_value();
  }
  bool finish_block() {
    const auto id = seen_.with([](Seen& seen) -> std::optional<std::uint64_t> {
      if (seen.blocks.empty()) return std::nullopt;
      const std::uint64_t first = seen.blocks.front().id;
      seen.blocks.pop_front();
      return first;
    });
    if (id) listener_->block_event_durable(*id);
    return id.has_value();
  }
  // Everything, until nothing more comes of it; whether there was anything.
  bool finish_all() {
    bool any = false;
    for (bool more = true; more;) {
      more = finish_block();
      std::vector<std::string> targets;
      seen_.read([&](const Seen& seen) {
        for (const auto& [target, parts] : seen.waiting) targets.push_back(target);
      });
      for (const std::string& target : targets) {
        while (finish_one(target)) more = true;
      }
      any |= more;
    }
    return any;
  }
  std::vector<std::string> log(const std::string& target) const {
    return seen_.read([&](const Seen& seen) {
      const auto found = seen.log.find(target);
      return found == seen.log.end() ? std::vector<std::string>() : found->second;
    });
  }
  std::size_t waiting(const std::string& target) const {
    return seen_.read([&](const Seen& seen) -> std::size_t {
      const auto found = seen.waiting.find(target);
      return found == seen.waiting.end() ? 0 : found->second.size();
    });
  }
  std::size_t blocks() const {
    return seen_.read([](const Seen& seen) { return seen.blocks.size(); });
  }
  // The first transaction that is not durable, of all that was handed over; 0: none.
  std::uint64_t first_waiting() const {
    return seen_.read([](const Seen& seen) {
      std::uint64_t first = 0;
      for (const auto& [target, parts] : seen.waiting) {
        for (const Part& part : parts)
          first = first == 0 ? part.first_cseq : std::min(first, part.first_cseq);
      }
      for (const dispatch::BlockEvent& block : seen.blocks)
        first = first == 0 ? block.origin.cseq : std::min(first, block.origin.cseq);
      return first;
    });
  }
  // Sleeps until it holds.
  template <typename P>
  bool wait_for(P&& ready) {
    return seen_.wait_for(std::chrono::seconds(60), std::forward<P>(ready));
  }

 private:
  Listener* listener_ = nullptr;
  mutable Guarded<Seen> seen_;
};

}  // namespace wherry::feed
