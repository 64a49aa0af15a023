// Hands out the records of an archive in the order of the stream, from behind a transaction on, and
// keeps nothing on disk. One thread reads, any may interrupt; it must not outlive the storage.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "redo/fetcher.h"
#include "store/record.h"
#include "store/record_source.h"

namespace wherry::redo {

// A piece of a snapshot at its place: behind this transaction, before anything of the next one.
// Called within Reader::next(); its error is that of the call. The piece's bytes live until then.
using OnPiece = std::function<Status(std::uint64_t cseq, const Piece&)>;

struct ReaderOptions {
  FetchOptions fetch;
  OnPiece on_piece;                  // none: a piece in the range is an error, Errc::unsupported
  std::uint64_t until = UINT64_MAX;  // the last transaction that is wanted
};

class Reader : public store::RecordSource {
 public:
  // lost: the archive begins behind `done`, or ends before it.
  static Result<std::unique_ptr<Reader>> open(storage::Storage& storage, const Archive& archive,
                                              std::uint64_t done, const ReaderOptions& options);

  // nothing: also behind each piece, and at the end of the archive; see ended(). Damage: with file,
  // byte and cseqs.
  Result<Step> next(std::chrono::milliseconds wait) override;
  const store::Event& event() const override { return event_; }
  const store::Commit& commit() const override { return commit_; }
  store::Definition definition(std::uint64_t id) const override;
  void interrupt() override;

  bool ended() const { return ended_; }
  // Of the files that were read through; for progress.
  std::uint64_t bytes_done() const { return bytes_done_; }
  std::uint64_t bytes_all() const;

 private:
  struct Range {  // transactions behind done, and through until
    std::uint64_t done = 0;
    std::uint64_t until = 0;
    OnPiece on_piece;
  };
  struct Open {  // the file being read
    FetchedFile fetched;
    FileWalk walk;
    std::uint64_t complete = 0;  // see Archive::complete_through()
    std::uint64_t at = 0;        // the transaction that the next record belongs to
    bool gave_piece = false;     // just now
  };

  Reader(storage::Storage& storage, const Archive& archive, std::size_t first, const Range& range,
         const FetchOptions& options);
  Result<bool> next_file(std::chrono::milliseconds wait);
  Result<bool> next_block();
  Status give_piece();
  // A transaction that an epoch's end cut off is in the next epoch, or nowhere.
  bool wanted(std::uint64_t cseq) const {
    return cseq > range_.done && cseq <= range_.until && cseq <= open_->complete;
  }

  const Archive archive_;
  const Range range_;
  Fetcher fetcher_;
  std::unique_ptr<Open> open_;
  std::size_t next_file_ = 0;
  std::optional<Hash128> chain_;
  store::RecordWalk records_;
  store::Event event_;
  store::Commit commit_;
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> bytes_done_{0};
};

}  // namespace wherry::redo
