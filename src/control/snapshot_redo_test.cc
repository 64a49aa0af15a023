// The snapshot of a copy on its way into redo, and what a replay takes up of it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "control/replay_pieces.h"
#include "control/replay_rules.h"
#include "control/snapshot_tables.h"
#include "control/snapshot_writer.h"
#include "dispatch/plan_for_tests.h"

namespace wherry::control {
namespace {

using namespace std::chrono_literals;
using dispatch::Chunk;
using redo::PieceKind;
using redo::PlaceGate;

copy::Slice slice_of(std::uint32_t table, std::uint32_t number) {
  copy::Slice slice;
  slice.id = {table, number};
  return slice;
}

std::shared_ptr<Chunk> chunk_of(std::uint32_t number, std::uint64_t place, bool last) {
  auto chunk = std::make_shared<Chunk>();
  chunk->slice = {3, number};
  chunk->lines = "1\tone\n2\ttwo\n";
  chunk->starts = {0, 6};
  chunk->rows = 2;
  chunk->last_key = "32";
  chunk->last = last;
  chunk->placed_at = place;
  return chunk;
}

// Two slices of one table.
class SnapshotRedoTest : public testing::Test {
 protected:
  SnapshotRedoTest() { slices_.add({slice_of(3, 0), slice_of(3, 1)}); }

  Status place(const std::shared_ptr<Chunk>& chunk) {
    slices_.placed(*chunk);
    return writer_.placed(chunk);
  }
  // What redo meets before transaction 100.
  std::optional<redo::PlacedPiece> next_piece() { return gate_.next(100, 0ms).piece; }

  copy::SliceQueue slices_;
  PlaceGate gate_{5, {}};
  SnapshotWriter writer_{{&gate_, 5, {}, true}, slices_};
};

TEST_F(SnapshotRedoTest, AChunkGoesThereAndBackWithItsRecord) {
  const auto chunk = chunk_of(0, 7, true);
  ASSERT_TRUE(place(chunk).ok());
  EXPECT_EQ(chunk->piece, 1u);
  const auto placed = next_piece();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->cseq, 7u);
  ReplayPieces pieces({}, true);
  ASSERT_TRUE(pieces.take(7, placed->piece).ok());
  const auto back = pieces.next();
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->lines, chunk->lines);
  EXPECT_EQ(back->starts, chunk->starts);
  EXPECT_EQ(back->placed_at, 7u);
  EXPECT_TRUE(back->replayed && back->opaque && back->last);
  EXPECT_FALSE(back->completes) << "another slice has rows to come";
  const copy::Slice record = copy::slice_from_json({3, 0}, back->record).value();
  EXPECT_TRUE(record.done);
  EXPECT_EQ(record.piece, 1u);
  EXPECT_EQ(pieces.next(), nullptr);
}

TEST_F(SnapshotRedoTest, TheLastChunkOfATableSaysSo) {
  ASSERT_TRUE(place(chunk_of(0, 7, true)).ok());
  ASSERT_TRUE(place(chunk_of(1, 8, true)).ok());
  ReplayPieces pieces({{"3.0", 1}}, true);
  ASSERT_TRUE(pieces.take(7, next_piece()->piece).ok());
  EXPECT_EQ(pieces.next(), nullptr) << "it is at the target";
  ASSERT_TRUE(pieces.take(8, next_piece()->piece).ok());
  const auto last = pieces.next();
  ASSERT_NE(last, nullptr);
  EXPECT_TRUE(last->completes);
}

TEST_F(SnapshotRedoTest, IsCompleteWhenEverySliceIsCommittedAndNotBeforeItsBegin) {
  for (std::uint32_t number = 0; number < 2; ++number) {
    const auto chunk = chunk_of(number, 7, true);
    ASSERT_TRUE(place(chunk).ok());
    ASSERT_TRUE(next_piece());
    ASSERT_TRUE(writer_.stands(9).ok());
    EXPECT_FALSE(next_piece());
    slices_.committed(*chunk);
  }
  ASSERT_TRUE(writer_.stands(4).ok());
  EXPECT_FALSE(next_piece()) << "what stands there is in redo already";
  ASSERT_TRUE(writer_.stands(9).ok());
  const auto placed = next_piece();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->piece.kind, PieceKind::complete);
  EXPECT_EQ(placed->cseq, 9u);
  EXPECT_EQ(gate_.mark(), PlaceGate::kOpen);
  EXPECT_FALSE(writer_.settled(2));
  EXPECT_TRUE(writer_.settled(3));
  ASSERT_TRUE(writer_.stands(10).ok());
  EXPECT_FALSE(next_piece());
}

TEST_F(SnapshotRedoTest, WhereItIsGivenUpNothingWaitsAndNothingIsPromised) {
  writer_.raise(8);
  ASSERT_TRUE(writer_.give_up(3).ok());
  const auto placed = next_piece();
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->piece.kind, PieceKind::anew);
  EXPECT_EQ(placed->cseq, 8u);
  EXPECT_EQ(gate_.mark(), PlaceGate::kOpen);
  for (std::uint32_t number = 0; number < 2; ++number) {
    const auto chunk = chunk_of(number, 9, true);
    ASSERT_TRUE(place(chunk).ok());
    EXPECT_EQ(chunk->piece, 0u) << "no lane waits for it";
    EXPECT_EQ(slices_.after_commit(*chunk).piece, 0u);
    slices_.committed(*chunk);
  }
  ASSERT_TRUE(writer_.stands(12).ok());
  EXPECT_FALSE(next_piece());
  ReplayPieces pieces({}, true);
  EXPECT_EQ(pieces.take(8, placed->piece).error().code, Errc::unsupported);
  EXPECT_TRUE(ReplayPieces({}, false).take(8, placed->piece).ok()) << "it has all rows";
}

TEST(FitsRedo, OnlyTablesWhoseRowsAllHaveAPlace) {
  const auto fits = [](const std::function<void(RunPlan&, dispatch::TablePlan&)>& change) {
    RunPlan plan;
    auto table = std::make_shared<dispatch::TablePlan>(*dispatch::plan_of(dispatch::items_table()));
    plan.slices = {slice_of(3, 0)};
    change(plan, *table);
    plan.plans.push_back(table);
    return fits_redo(plan);
  };
  EXPECT_TRUE(fits([](RunPlan&, dispatch::TablePlan&) {}));
  EXPECT_FALSE(fits([](RunPlan&, dispatch::TablePlan& table) { table.key.clear(); }));
  EXPECT_FALSE(fits([](RunPlan&, dispatch::TablePlan& table) { table.cascades = true; }));
  EXPECT_FALSE(fits([](RunPlan&, dispatch::TablePlan& table) { table.state->touched = true; }))
      << "rows may be there";
  EXPECT_FALSE(fits([](RunPlan& plan, dispatch::TablePlan&) { plan.shapes = ShapeRecords::kept; }));
  EXPECT_FALSE(fits([](RunPlan& plan, dispatch::TablePlan&) { plan.slices[0].done = true; }))
      << "rows are at the target, and in no piece";
  EXPECT_FALSE(fits([](RunPlan& plan, dispatch::TablePlan& table) {
    plan.plans.push_back(dispatch::make_plan(4, dispatch::items_table(), table.target,
                                             std::make_shared<dispatch::TableState>()));
  })) << "two tables go into one";
  EXPECT_TRUE(fits([](RunPlan& plan, dispatch::TablePlan& table) {
    plan.resumed = true;
    table.state->touched = true;
    plan.slices[0].done = true;
    plan.slices[0].piece = 7;
  }));
}

TEST(TakeUpSnapshot, ATableIsOpenUntilTheChunkThatCompletesIt) {
  sink::SavedProgress saved;
  copy::Slice half = slice_of(0, 0);
  half.done = true;  // of two
  half.piece = 4;
  copy::Slice whole = slice_of(1, 1);
  whole.done = whole.completes = true;
  whole.piece = 9;
  whole.placed_at = 31;
  saved.records = {{"slice", "0.0", copy::to_json(half)}, {"slice", "1.1", copy::to_json(whole)}};
  const auto take_up = [&](const nlohmann::json& run) {
    RunPlan plan;
    for (std::uint32_t id = 0; id < 3; ++id)
      plan.plans.push_back(dispatch::plan_of(dispatch::items_table(), id));
    EXPECT_TRUE(take_up_snapshot(run, saved, plan).ok());
    return plan;
  };
  const RunPlan plan = take_up({{"rebuilding", 2}});
  EXPECT_TRUE(plan.plans[0]->state->open()) << "what is to come of it is not known";
  EXPECT_FALSE(plan.plans[1]->state->open());
  EXPECT_EQ(plan.plans[1]->state->placed_through, 31u);
  EXPECT_FALSE(plan.plans[2]->state->open()) << "a statement made it";
  EXPECT_EQ(plan.pieces, (std::map<std::string, std::uint64_t>{{"0.0", 4}, {"1.1", 9}}));
  EXPECT_FALSE(take_up(nlohmann::json::object()).plans[0]->state->open()) << "it has all slices";
}

TEST(TakeUpSnapshot, WhatIsBeingMadeIsNotTakenForWhole) {
  EXPECT_TRUE(require_rebuilt(nlohmann::json::object()).ok());
  EXPECT_EQ(require_rebuilt({{"rebuilding", 2}}).error().code, Errc::refused);
  EXPECT_EQ(require_copied({{"rebuilding", 2}}, {}).error().code, Errc::refused);
}

}  // namespace
}  // namespace wherry::control
