#include "redo/fetcher.h"

#include <algorithm>
#include <utility>

namespace wherry::redo {

Fetcher::Fetcher(storage::Storage& storage, std::vector<ArchiveFile> files,
                 const FetchOptions& options)
    : storage_(storage), files_(std::move(files)), options_(options), budget_(options.memory) {
  fetched_.close(files_.size());
  for (unsigned i = 0; i < std::max(1U, options.threads); ++i)
    threads_.emplace_back([this] { run(); });
}

Fetcher::~Fetcher() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

void Fetcher::stop() {
  stop_.request_stop();
  budget_.close();
  fetched_.poke();
}

void Fetcher::run() {
  while (!stop_.stop_requested()) {
    // Memory is given in the order of the files, so that the one that is read next always has some.
    std::size_t ticket = 0;
    ByteBudget::Charge charge;
    turn_.with([&](std::size_t& next) {
      ticket = next++;
      if (ticket < files_.size()) charge = budget_.charge(files_[ticket].bytes);
    });
    if (!charge) return;
    const ArchiveFile& file = files_[ticket];
    storage::Limits limits = options_.limits;
    limits.stop = stop_.get_token();
    fetched_.put(ticket, {storage_.get(file.name, 0, file.bytes, limits), std::move(charge)});
  }
}

}  // namespace wherry::redo
