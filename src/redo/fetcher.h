// Fetches the files of an archive ahead of their reader, in order, as many as the memory allows.
// Owns its threads; one thread takes. It must not outlive the storage.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "redo/archive.h"
#include "redo/ticket_queue.h"
#include "support/byte_budget.h"

namespace wherry::redo {

struct FetchOptions {
  unsigned threads = 4;
  std::size_t memory = 256 << 20;  // of files that were fetched; a larger one comes alone
  storage::Limits limits;
};

struct FetchedFile {
  Result<std::vector<std::byte>> bytes;
  ByteBudget::Charge charge;
};

class Fetcher {
 public:
  Fetcher(storage::Storage& storage, std::vector<ArchiveFile> files, const FetchOptions& options);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // The next file. Nothing: it did not come in this time, or there is none.
  std::optional<FetchedFile> take(std::chrono::milliseconds wait) { return fetched_.take(wait); }
  // Any thread: nothing more comes.
  void stop();
  const std::vector<ArchiveFile>& files() const { return files_; }

 private:
  void run();

  storage::Storage& storage_;
  const std::vector<ArchiveFile> files_;
  const FetchOptions options_;
  ByteBudget budget_;
  TicketQueue<FetchedFile> fetched_;
  Guarded<std::size_t> turn_{std::size_t{0}};  // the next file to be fetched
  std::stop_source stop_;
  std::vector<std::thread> threads_;
};

}  // namespace wherry::redo
