// Somebody for whom the log keeps transactions until they are done with. Known by name: a reopened
// log keeps what its consumers needed until each is back or forgotten. Any thread; it must not
// outlive its log.
#pragma once

#include <string>

#include "store/state.h"

namespace wherry::store {

class Consumer {
 public:
  Consumer(Shared& shared, std::string name, std::uint64_t disk_bytes_max)
      : shared_(&shared), name_(std::move(name)), disk_bytes_max_(disk_bytes_max) {}

  // Everything up to cseq is durable where the consumer puts it. Going back is a bug of the
  // caller and changes nothing.
  void advance(std::uint64_t cseq);

  struct Standing {
    std::uint64_t done = 0;
    std::uint64_t behind = 0;  // transactions that it still needs
    bool pressed = false;      // the disk fills up and this is the slowest: hurry, or be forgotten
  };
  Standing standing() const;
  // Sleeps until standing().pressed is no longer what it was, or the time passed.
  Standing wait_for_change(bool pressed, std::chrono::milliseconds time);

  // The log keeps nothing for it any more.
  void forget();
  const std::string& name() const { return name_; }

 private:
  Shared* shared_;
  std::string name_;
  std::uint64_t disk_bytes_max_;
};

}  // namespace wherry::store
