// Tells what happens to whoever listens (server-sent events), without ever waiting for a listener:
// each has a queue of bounded bytes, and one that reads too slowly loses the oldest events and is
// told how many. Any thread. The hub outlives its readers.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "support/guarded.h"

namespace wherry::control {

class EventHub {
 public:
  static constexpr std::size_t kBytesMax = 256 * 1024;  // of one reader

  class Reader {
   public:
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // All that came since the last call, as the text of a stream; empty: nothing did.
    std::string take();

   private:
    friend class EventHub;
    explicit Reader(EventHub& hub) : hub_(hub) {}
    void put(std::shared_ptr<const std::string> event);

    struct Queue {
      std::deque<std::shared_ptr<const std::string>> events;
      std::size_t bytes = 0;
      std::uint64_t lost = 0;
    };
    EventHub& hub_;
    Guarded<Queue> queue_;
  };

  std::unique_ptr<Reader> open();
  // data: one line.
  void publish(std::string_view kind, std::string_view data);
  bool has_readers() const;

 private:
  Guarded<std::set<Reader*>> readers_;
};

}  // namespace wherry::control
