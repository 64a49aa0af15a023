// Pieces of a snapshot, by themselves and in files.

#include "redo/piece.h"

#include <gtest/gtest.h>

#include <functional>

#include "redo/file_walk.h"
#include "redo/snapshot_for_tests.h"

namespace wherry::redo {
namespace {

TEST(RedoPiece, IsReadBackAsItWasWritten) {
  for (const PieceKind kind :
       {PieceKind::table, PieceKind::chunk, PieceKind::anew, PieceKind::complete}) {
    for (const std::uint64_t number : {1, 3, 4}) {
      const TestPiece made(number, kind);
      const std::string bytes = made.bytes();
      const std::optional<Piece> read = decode_piece(as_bytes(bytes));
      ASSERT_TRUE(read);
      EXPECT_EQ(read->kind, kind);
      EXPECT_EQ(read->number, number);
      EXPECT_EQ(read->table, made.get().table);
      EXPECT_EQ(read->name, made.get().name);
      EXPECT_EQ(read->record, made.get().record);
      EXPECT_EQ(as_text(read->starts), as_text(made.get().starts));
      EXPECT_EQ(read->text, made.get().text);
    }
  }
}

TEST(RedoPiece, OtherBytesAreNone) {
  const std::string whole = TestPiece(3).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_piece(as_bytes(whole.substr(0, size)))) << size;
  EXPECT_FALSE(decode_piece(as_bytes(whole + "x")));
  const auto refused = [](const std::function<void(Piece&)>& change) {
    const TestPiece made(3);
    Piece piece = made.get();
    change(piece);
    std::string bytes(size_of(piece), '\0');
    encode(piece, reinterpret_cast<std::byte*>(bytes.data()));
    return !decode_piece(as_bytes(bytes));
  };
  EXPECT_FALSE(refused([](Piece&) {}));
  for (const int kind : {0, 5, 257})
    EXPECT_TRUE(refused([&](Piece& piece) { piece.kind = static_cast<PieceKind>(kind); })) << kind;
  EXPECT_TRUE(refused([](Piece& piece) { piece.kind = PieceKind::anew; }));
  EXPECT_TRUE(refused([](Piece& piece) { piece.text = {}; }));
  EXPECT_TRUE(refused([](Piece& piece) { piece.starts = {}; }));
  for (const char* starts : {"\0\0\0\0\0\0\0\0", "\1\0\0\0\2\0\0\0", "\0\0\0\0\0\1\0\0"}) {
    EXPECT_TRUE(refused([&](Piece& piece) { piece.starts = as_bytes({starts, 8}); }));
  }
}

// A file of pieces behind transaction 4: a table, two chunks, the end.
std::vector<std::byte> some_file(const std::function<void(FileBuilder&)>& add) {
  FileBuilder builder(snapshot_claim(4));
  add(builder);
  return bytes_of(*builder.seal(4, 0));
}

void add_all(FileBuilder& builder) {
  builder.add(piece_block(TestPiece(1, PieceKind::table).bytes(), 4, {1, false}));
  builder.add(piece_block(TestPiece(2).bytes(), 4, {2, false}));
  builder.add(piece_block(TestPiece(3).bytes(), 4, {3, false}));
  builder.add(piece_block(TestPiece(4, PieceKind::complete).bytes(), 4, {4, true}));
}

// Why the file is refused; empty: all of it is right. numbers: of the pieces, where asked for.
std::string fault_of(Bytes file, std::vector<std::uint64_t>* numbers = nullptr) {
  Result<FileWalk> walk = FileWalk::open(file, "f.redo", {"shop", {1, 0xABCD}, 1, Hash128{}, {}});
  if (!walk.ok()) return walk.error().what;
  for (;;) {
    const auto block = walk.value().next();
    if (!block.ok()) return block.error().what;
    if (!block.value()) return "";
    if (numbers != nullptr) numbers->push_back(walk.value().piece().number);
  }
}

TEST(RedoSnapshotFile, HoldsItsPiecesAndCountsThem) {
  const std::vector<std::byte> file = some_file(add_all);
  std::vector<std::uint64_t> numbers;
  EXPECT_EQ(fault_of(file, &numbers), "");
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3, 4}));
  std::uint64_t offset = 0;
  const auto footer = decode_footer(file, file.size(), "f.redo", offset);
  ASSERT_TRUE(ok(footer));
  EXPECT_EQ(footer.value().snapshot, (SnapshotMark{4, true}));
  EXPECT_EQ(footer.value().after, place_at(4));
}

TEST(RedoSnapshotFile, EveryFlippedBitIsFoundAndNamed) {
  std::vector<std::byte> bytes = some_file(add_all);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto flip = static_cast<std::byte>(1 << bit % 8);
    bytes[bit / 8] ^= flip;
    ASSERT_NE(fault_of(bytes).find("f.redo"), std::string::npos) << "bit " << bit;
    bytes[bit / 8] ^= flip;
  }
}

TEST(RedoSnapshotFile, EveryTruncationIsFoundAndNamed) {
  const std::vector<std::byte> whole = some_file(add_all);
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_NE(fault_of(Bytes(whole).first(size)).find("f.redo"), std::string::npos) << size;
}

TEST(RedoSnapshotFile, PiecesThatDoNotFollowEachOtherAreRefused) {
  const auto fault = [](const std::function<void(FileBuilder&)>& add) {
    return fault_of(some_file(add));
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(fault([](FileBuilder& builder) {
                    builder.add(piece_block(TestPiece(1).bytes(), 4, {1, false}));
                    builder.add(piece_block(TestPiece(3).bytes(), 4, {3, false}));
                  }),
                  "piece 3 of the snapshot follows 1"));
  EXPECT_TRUE(has(fault([](FileBuilder& builder) {
                    add_all(builder);
                    builder.add(piece_block(TestPiece(5).bytes(), 4, {5, true}));
                  }),
                  "piece 5 of the snapshot follows 4"));
  EXPECT_TRUE(has(fault([](FileBuilder& builder) {
                    builder.add(piece_block(TestPiece(1).bytes(), 4, {2, false}));
                  }),
                  "end with 1, the footer with 2"));
  EXPECT_TRUE(has(fault([](FileBuilder& builder) {
                    builder.add(piece_block(TestPiece(1).bytes(), 4, {1, true}));
                  }),
                  "the footer with 1"));
  EXPECT_TRUE(has(fault([](FileBuilder& builder) {
                    builder.add(piece_block(TestPiece(1).bytes(), 4, {1, false}));
                    builder.add(piece_block(TestPiece(2).bytes(), 5, {2, false}));
                  }),
                  "the block before ends with transaction 5"));
  EXPECT_TRUE(has(fault([](FileBuilder& builder) {
                    builder.add(piece_block("no piece", 4, {1, false}));
                  }),
                  "no piece of a snapshot"));
}

TEST(RedoSnapshotFile, APieceInARedoOfChangesIsRefused) {
  FileBuilder builder(first_claim("shop", 4));
  Block block = piece_block(TestPiece(1).bytes(), 4, {1, false});
  block.snapshot.reset();
  builder.add(std::move(block));
  EXPECT_NE(fault_of(bytes_of(*builder.seal(4, 0))).find("knows of none"), std::string::npos);
}

// What reads version 1 only must not take a redo with a snapshot for one of changes.
TEST(RedoSnapshotFile, IsOfAVersionThatOlderReadersRefuse) {
  constexpr std::size_t kVersionAt = 8;
  EXPECT_EQ(encode(snapshot_claim())[kVersionAt], 2);
  EXPECT_EQ(encode(first_claim())[kVersionAt], 1);
  FileFooter footer;
  EXPECT_EQ(encode(footer, 0)[kVersionAt], 1);
  footer.snapshot = SnapshotMark{7, false};
  EXPECT_EQ(encode(footer, 0)[kVersionAt], 2);
}

}  // namespace
}  // namespace wherry::redo
