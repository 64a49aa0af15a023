#include "redo/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace wherry::redo {
namespace {

// The last file that begins at or before transaction `done` + 1, by halving. pieces: those that
// stand behind transaction `done` are wanted too, and may fill files before that one.
Result<std::size_t> find_file(storage::Storage& storage, const std::vector<ArchiveFile>& files,
                              std::uint64_t done, bool pieces, const storage::Limits& limits) {
  std::size_t low = 0;
  std::size_t high = files.size();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const Result<FileHeader> header = read_header(storage, files[middle], limits);
    if (!header.ok()) return header.error();
    const store::Point& first = header.value().first;
    const bool before =
        first.cseq < done + 1 || (!pieces && first.cseq == done + 1 && first.row == 0);
    (before ? low : high) = middle;
  }
  return low;
}

std::vector<ArchiveFile> from(const Archive& archive, std::size_t first, std::uint64_t done) {
  if (done >= archive.resolved().cseq && !archive.snapshot()) return {};
  const std::vector<ArchiveFile>& files = archive.files();
  return {files.begin() + static_cast<std::ptrdiff_t>(first), files.end()};
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(storage::Storage& storage, const Archive& archive,
                                             std::uint64_t done, const ReaderOptions& options) {
  if (done < archive.begin().cseq || done > archive.resolved().cseq) {
    return Error{Errc::lost, fmt::format("the redo reaches from transaction {} to {}; what follows "
                                         "{} is not in it",
                                         archive.begin().cseq + 1, archive.resolved().cseq, done)};
  }
  Result<std::size_t> first = find_file(storage, archive.files(), done,
                                        archive.snapshot().has_value(), options.fetch.limits);
  if (!first.ok()) return first.error();
  return std::unique_ptr<Reader>(new Reader(
      storage, archive, first.value(), {done, options.until, options.on_piece}, options.fetch));
}

Reader::Reader(storage::Storage& storage, const Archive& archive, std::size_t first,
               const Range& range, const FetchOptions& options)
    : archive_(archive),
      range_(range),
      fetcher_(storage, from(archive, first, range.done), options) {}

void Reader::interrupt() {
  interrupted_ = true;
  fetcher_.stop();
}

std::uint64_t Reader::bytes_all() const {
  std::uint64_t bytes = 0;
  for (const ArchiveFile& file : fetcher_.files()) bytes += file.bytes;
  return bytes;
}

Result<store::RecordSource::Step> Reader::next(std::chrono::milliseconds wait) {
  for (;;) {
    if (interrupted_) return Error{Errc::interrupted, "the reader of redo was interrupted"};
    while (records_.next()) {
      if (records_.kind() == store::RecordKind::event) {
        if (!wanted(open_->at)) continue;
        event_ = records_.event();
        return Step::event;
      }
      records_.commit(commit_);
      open_->at = commit_.cseq + 1;
      if (wanted(commit_.cseq)) return Step::commit;
    }
    const Result<bool> more = next_block();
    if (!more.ok()) return more.error();
    // Whoever collects what comes in between hands it on before the piece.
    if (more.value() && std::exchange(open_->gave_piece, false)) return Step::nothing;
    if (more.value()) continue;
    const Result<bool> file = next_file(wait);
    if (!file.ok()) return file.error();
    if (!file.value()) return Step::nothing;
  }
}

Result<bool> Reader::next_block() {
  if (open_ == nullptr) return false;
  Result<std::optional<store::BlockView>> view = open_->walk.next();
  if (!view.ok()) return view.error();
  if (view.value()) {
    open_->at = view.value()->header.first.cseq;
    if (view.value()->header.kind == store::BlockKind::snapshot) {
      if (Status given = give_piece(); !given.ok()) return given.error();
      records_ = store::RecordWalk();
      return true;
    }
    records_ = store::RecordWalk(view.value()->body);
    return true;
  }
  chain_ = open_->walk.footer().chain;
  bytes_done_ += fetcher_.files()[next_file_ - 1].bytes;
  records_ = store::RecordWalk();
  open_.reset();
  return false;
}

Status Reader::give_piece() {
  const std::uint64_t place = open_->at - 1;
  if (place < range_.done || place > range_.until || place > open_->complete) return Unit{};
  const Piece& piece = open_->walk.piece();
  open_->gave_piece = range_.on_piece != nullptr;
  if (open_->gave_piece) return range_.on_piece(place, piece);
  return Error{Errc::unsupported,
               fmt::format("piece {} of a snapshot stands behind transaction {}, and only changes "
                           "are read",
                           piece.number, place)};
}

Result<bool> Reader::next_file(std::chrono::milliseconds wait) {
  if (next_file_ == fetcher_.files().size()) {
    ended_ = true;
    return false;
  }
  std::optional<FetchedFile> fetched = fetcher_.take(wait);
  if (!fetched) return false;
  const ArchiveFile& file = fetcher_.files()[next_file_];
  if (!fetched->bytes.ok()) return fetched->bytes.error().within(file.name);
  const Expected expected{archive_.claim().feed, file.epoch, file.number, chain_, std::nullopt};
  Result<FileWalk> walk = FileWalk::open(fetched->bytes.value(), file.name, expected);
  if (!walk.ok()) return walk.error();
  open_ = std::make_unique<Open>(
      Open{std::move(*fetched), std::move(walk).value(), archive_.complete_through(file.epoch)});
  ++next_file_;
  return true;
}

store::Definition Reader::definition(std::uint64_t id) const {
  if (open_ == nullptr) return nullptr;
  const auto known = open_->walk.definitions().find(id);
  return known == open_->walk.definitions().end() ? nullptr : known->second;
}

}  // namespace wherry::redo
