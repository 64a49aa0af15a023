#include "redo/file_walk.h"

#include <fmt/core.h>

#include <utility>

#include "store/record.h"

namespace wherry::redo {
namespace {

Error foreign(const std::string& name, const std::string& what) {
  return Error{Errc::refused, fmt::format("{}: a foreign file: {}", name, what)};
}

Status require(const FileHeader& header, const Expected& expected, const std::string& name) {
  if (header.feed != expected.feed)
    return foreign(name, fmt::format("it belongs to feed {}", header.feed));
  if (header.epoch != expected.epoch || header.number != expected.number) {
    return foreign(name, fmt::format("it says that it is file {} of epoch {}", header.number,
                                     to_string(header.epoch)));
  }
  if (expected.previous && header.previous != *expected.previous)
    return foreign(name, "its chain does not follow the file before");
  if (expected.first && header.first != *expected.first) {
    return foreign(name, fmt::format("it begins with transaction {} where {} is next",
                                     header.first.cseq, expected.first->cseq));
  }
  return Unit{};
}

// Behind the records of a body that begins at the point; nothing: bytes that are no records.
std::optional<store::Point> behind(store::Point at, Bytes body) {
  store::RecordWalk walk(body);
  while (walk.next()) {
    if (walk.kind() == store::RecordKind::event) {
      at.row += walk.rows();
      continue;
    }
    store::Commit commit;
    if (!walk.commit(commit) || commit.cseq != at.cseq) return std::nullopt;
    at = {at.cseq + 1, 0};
  }
  if (walk.failed()) return std::nullopt;
  return at;
}

}  // namespace

FileWalk::FileWalk(Bytes file, std::string name, FileHeader header, FileFooter footer)
    : file_(file),
      name_(std::move(name)),
      header_(std::move(header)),
      footer_(std::move(footer)),
      chain_(header_.previous),
      at_(header_.first) {}

Result<FileWalk> FileWalk::open(Bytes file, const std::string& name, const Expected& expected) {
  std::size_t size = 0;
  Result<FileHeader> header = decode_header(file, name, size);
  if (!header.ok()) return header.error();
  if (Status ours = require(header.value(), expected, name); !ours.ok()) return ours.error();
  std::uint64_t limit = 0;
  Result<FileFooter> footer = decode_footer(file, file.size(), name, limit);
  if (!footer.ok()) {
    return footer.error().within(fmt::format("transactions from {} on", header.value().first.cseq));
  }
  if (limit < size)
    return Error{Errc::malformed,
                 fmt::format("{}, byte {}: the footer lies in the header", name, limit)};
  FileWalk walk(file, name, std::move(header).value(), std::move(footer).value());
  walk.chain_.add(file.first(size));
  walk.offset_ = size;
  walk.limit_ = limit;
  return walk;
}

Result<std::optional<store::BlockView>> FileWalk::next() {
  while (offset_ < limit_) {
    const Bytes blocks = file_.first(limit_);
    Result<store::BlockView> view =
        store::view_block(blocks, name_, offset_, at_.cseq - 1, unpacked_);
    if (!view.ok()) return view.error();
    const std::uint64_t size = store::framed_bytes(view.value().header);
    chain_.add_frame(blocks.subspan(offset_, size));
    if (view.value().header.kind == store::BlockKind::definitions) {
      Status defined = store::decode_definitions(view.value().body, definitions_);
      if (!defined.ok()) return defined.error().within(name_);
      offset_ += size;
      continue;
    }
    if (view.value().header.kind == store::BlockKind::snapshot) {
      if (Status taken = take_piece(view.value()); !taken.ok()) return taken.error();
    } else {
      const Result<store::Point> end = end_of(view.value());
      if (!end.ok()) return end.error();
      at_ = end.value();
    }
    offset_ += size;
    return std::optional<store::BlockView>(view.value());
  }
  if (Status ended = check_end(); !ended.ok()) return ended.error();
  return std::optional<store::BlockView>();
}

Result<store::Point> FileWalk::end_of(const store::BlockView& view) const {
  const std::string place = store::place_of(name_, offset_, view.header);
  if (view.header.first != at_) {
    return Error{Errc::malformed,
                 fmt::format("{}: the block before ends with transaction {}", place, at_.cseq)};
  }
  const std::optional<store::Point> end = behind(at_, view.body);
  if (!end) return Error{Errc::malformed, fmt::format("{}: bytes that are no records", place)};
  return *end;
}

// A piece stands between two transactions, and the pieces are numbered without a gap.
Status FileWalk::take_piece(const store::BlockView& view) {
  const auto wrong = [&](std::string_view what) {
    return Error{Errc::malformed,
                 fmt::format("{}: {}", store::place_of(name_, offset_, view.header), what)};
  };
  if (!footer_.snapshot) return wrong("a piece of a snapshot, and the footer knows of none");
  if (view.header.first != at_ || at_.row != 0)
    return wrong(fmt::format("the block before ends with transaction {}", at_.cseq));
  const std::optional<Piece> piece = decode_piece(view.body);
  if (!piece) return wrong("bytes that are no piece of a snapshot");
  piece_ = *piece;
  if (snapshot_ && (snapshot_->complete || piece_.number != snapshot_->pieces + 1))
    return wrong(
        fmt::format("piece {} of the snapshot follows {}", piece_.number, snapshot_->pieces));
  snapshot_ = SnapshotMark{piece_.number, piece_.kind == PieceKind::complete};
  return Unit{};
}

Status FileWalk::check_end() const {
  if (snapshot_ && snapshot_ != footer_.snapshot) {
    return Error{
        Errc::malformed,
        fmt::format("{}, byte {}: the pieces of the snapshot end with {}, the footer with {}",
                    name_, limit_, snapshot_->pieces, footer_.snapshot->pieces)};
  }
  if (at_ != footer_.end) {
    return Error{Errc::malformed,
                 fmt::format("{}, byte {}: the records end with transaction {}, the footer with {}",
                             name_, limit_, at_.cseq, footer_.end.cseq)};
  }
  if (chain_.behind(footer_) != footer_.chain)
    return Error{Errc::malformed, fmt::format("{}, byte {}: the chain is wrong", name_, limit_)};
  return Unit{};
}

}  // namespace wherry::redo
