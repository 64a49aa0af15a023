#include "redo/file_builder.h"

#include <utility>

#include "store/block.h"

namespace wherry::redo {

FileBuilder::FileBuilder(const Claim& claim)
    : claim_(claim), after_(claim.begin), end_{claim.begin.cseq + 1, 0}, snapshot_(claim.snapshot) {
  if (claim.previous) chain_behind_ = claim.previous->chain;
}

void FileBuilder::begin(const Block& first) {
  FileHeader header;
  header.feed = claim_.feed;
  header.epoch = claim_.epoch;
  header.number = ++number_;
  header.dialect = claim_.dialect;
  header.first = first.header.first;
  header.before = after_;
  header.previous = chain_behind_;
  file_ = std::make_unique<SealedFile>();
  file_->name = file_name(claim_.feed, claim_.epoch, number_);
  file_->number = number_;
  file_->header = encode(header);
  file_->first_at = first_at_ = first.first_at;
  chain_ = std::make_unique<Chain>(chain_behind_);
  chain_->add(as_bytes(file_->header));
  bytes_ = file_->header.size();
  definitions_.clear();
  seals_ = false;
}

void FileBuilder::add_definitions(const store::Definitions& definitions,
                                  const store::BlockHeader& before) {
  store::Definitions missing;
  for (const auto& [id, content] : definitions) {
    if (definitions_.emplace(id, content).second) missing.emplace(id, content);
  }
  if (missing.empty()) return;
  const std::string body = store::encode_definitions(missing);
  Block block;
  block.header.kind = store::BlockKind::definitions;
  block.header.first = before.first;
  block.header.last_cseq = after_.cseq;
  block.header.body_bytes = block.header.stored_bytes = static_cast<std::uint32_t>(body.size());
  block.bytes.resize(store::framed_bytes(block.header));
  std::memcpy(block.bytes.data() + store::kBlockHead, body.data(), body.size());
  store::frame(block.header, block.bytes);
  chain_->add_frame(block.bytes);
  bytes_ += block.bytes.size();
  file_->blocks.push_back(std::move(block));
}

void FileBuilder::add(Block block) {
  if (file_ == nullptr) begin(block);
  add_definitions(block.definitions, block.header);
  chain_->add_frame(block.bytes);
  bytes_ += block.bytes.size();
  end_ = block.end;
  after_ = block.after;
  if (block.snapshot) snapshot_ = block.snapshot;
  seals_ |= block.seals;
  file_->blocks.push_back(std::move(block));
}

SealedFilePtr FileBuilder::seal(std::uint64_t durable, std::uint64_t checkpoint) {
  FileFooter footer;
  footer.end = end_;
  footer.after = after_;
  footer.durable = durable;
  footer.checkpoint = checkpoint;
  footer.snapshot = snapshot_;
  footer.chain = chain_behind_ = chain_->behind(footer);
  file_->footer = encode(footer, bytes_);
  file_->bytes = bytes_ + file_->footer.size();
  file_->after = after_;
  file_->snapshot = snapshot_.value_or(SnapshotMark{});
  file_->sealed_at = std::chrono::steady_clock::now();
  bytes_ = 0;
  chain_.reset();
  return SealedFilePtr(std::move(file_));
}

}  // namespace wherry::redo
