// Pieces of a snapshot in the stream that a writer makes: each at its place, whatever the threads
// do, and what is read back rebuilds the source.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "redo/archive.h"
#include "redo/collector.h"
#include "redo/epoch.h"
#include "redo/place_gate.h"
#include "redo/reader.h"
#include "redo/snapshot_for_tests.h"

namespace wherry::redo {
namespace {

using Step = store::RecordSource::Step;
using namespace std::chrono_literals;

PlacedPiece placed(std::uint64_t cseq, PieceKind kind = PieceKind::chunk) {
  const auto made = std::make_shared<const TestPiece>(3, kind);
  return {cseq, made->get(), made};
}

TEST(RedoPlaceGate, LetsThroughWhatNothingCanBePlacedBefore) {
  PlaceGate gate(10, {});
  EXPECT_EQ(gate.next(10, 0ms).through, 10U);
  EXPECT_LT(gate.next(11, 0ms).through, 11U);
  gate.raise(15);
  gate.raise(12);
  EXPECT_EQ(gate.next(11, 0ms).through, 15U);
  ASSERT_TRUE(ok(gate.put(placed(15))));
  ASSERT_TRUE(ok(gate.put(placed(17))));
  gate.raise(20);
  // The first piece stands behind 15, and nothing after it is let through.
  EXPECT_EQ(gate.next(11, 0ms).through, 15U);
  EXPECT_EQ(gate.next(16, 0ms).piece->cseq, 15U);
  EXPECT_EQ(gate.next(16, 0ms).through, 17U);
  EXPECT_EQ(gate.next(18, 0ms).piece->piece.number, 2U);
  EXPECT_EQ(gate.next(18, 0ms).through, 20U);
}

TEST(RedoPlaceGate, APlaceThatWasLetThroughIsRefused) {
  PlaceGate gate(10, {});
  EXPECT_EQ(gate.put(placed(9)).error().code, Errc::conflict);
  EXPECT_EQ(gate.put(placed(10)).value(), 1U);
  gate.raise(12);
  EXPECT_EQ(gate.put(placed(11)).error().code, Errc::conflict);
  EXPECT_EQ(gate.put(placed(14)).value(), 2U);
  EXPECT_EQ(gate.put(placed(13)).error().code, Errc::conflict);
}

// What owns a piece's bytes may end before the gate does.
TEST(RedoPlaceGate, KeepsNoOwnerOnceItIsInterrupted) {
  PlaceGate gate(10, {});
  PlacedPiece piece = placed(11);
  const std::weak_ptr<const void> before = piece.owner;
  ASSERT_TRUE(ok(gate.put(std::move(piece))));
  EXPECT_FALSE(before.expired());
  gate.interrupt();
  EXPECT_TRUE(before.expired());
  piece = placed(12);
  const std::weak_ptr<const void> after = piece.owner;
  EXPECT_EQ(gate.put(std::move(piece)).value(), 2U);
  EXPECT_TRUE(after.expired());
}

TEST(RedoPlaceGate, IsOpenBehindTheEndOfTheSnapshot) {
  PlaceGate gate(10, {7, false});
  EXPECT_EQ(gate.put(placed(12, PieceKind::complete)).value(), 8U);
  EXPECT_EQ(gate.next(11, 0ms).through, 12U);
  EXPECT_EQ(gate.next(13, 0ms).piece->piece.kind, PieceKind::complete);
  EXPECT_EQ(gate.next(13, 0ms).through, PlaceGate::kOpen);
  EXPECT_EQ(gate.put(placed(20)).error().code, Errc::conflict);
  EXPECT_EQ(PlaceGate(10, {8, true}).mark(), PlaceGate::kOpen);
}

TEST(RedoPlaceGate, WakesWhoeverWaits) {
  for (const int how : {0, 1, 2}) {
    PlaceGate gate(10, {});
    std::thread waits([&] { (void)gate.next(11, kLong); });
    if (how == 0) gate.raise(11);
    if (how == 1) (void)gate.put(placed(10));
    if (how == 2) gate.interrupt();
    waits.join();
  }
}

// A source of a few hot keys. A transaction sets, removes or moves some of them; its event holds
// the change of each key as "key=value" or "key=", the form in which a chunk holds its rows too.
class Source {
 public:
  using Rows = std::map<int, int>;
  static constexpr int kKeys = 24;

  Source(std::uint64_t transactions, unsigned seed) : random_(seed) {
    states_.emplace_back();
    for (int key = 0; key < kKeys; key += 2) states_[0][key] = key;
    events_.emplace_back();
    for (std::uint64_t i = 0; i < transactions; ++i) add();
  }
  std::uint64_t last() const { return states_.size() - 1; }
  const Rows& at(std::uint64_t cseq) const { return states_[cseq]; }
  const std::string& event(std::uint64_t cseq) const { return events_[cseq]; }
  bool changed(int key, std::uint64_t after, std::uint64_t through) const {
    for (std::uint64_t cseq = after + 1; cseq <= through; ++cseq) {
      if ((" " + events_[cseq]).find(fmt::format(" {}=", key)) != std::string::npos) return true;
    }
    return false;
  }

 private:
  int some_key() { return static_cast<int>(random_() % kKeys); }
  void add() {
    Rows now = states_.back();
    Rows was = now;
    for (int change = static_cast<int>(random_() % 3); change >= 0; --change) {
      const int one = some_key();
      const int other = some_key();
      const unsigned what = random_() % 4;
      if (what == 0) now[one] = ++value_;
      if (what == 1) now.erase(one);
      if (what == 2 && now.contains(one) && now.contains(other)) std::swap(now[one], now[other]);
      if (what == 3 && now.contains(one) && !now.contains(other)) {
        now[other] = now[one];
        now.erase(one);
      }
    }
    std::string event;
    for (int key = 0; key < kKeys; ++key) {
      const bool here = now.contains(key);
      if (here == was.contains(key) && (!here || now[key] == was[key])) continue;
      event += here ? fmt::format("{}={} ", key, now[key]) : fmt::format("{}= ", key);
    }
    states_.push_back(std::move(now));
    events_.push_back(std::move(event));
  }

  std::mt19937 random_;
  std::vector<Rows> states_;  // behind each transaction
  std::vector<std::string> events_;
  int value_ = 1000;
};

class SourceStream : public store::RecordSource {
 public:
  SourceStream(const Source& source, std::uint64_t done) : source_(source), cseq_(done) {}
  Result<Step> next(std::chrono::milliseconds wait) override {
    if (interrupted_.wait_for(0ms, [](bool now) { return now; }))
      return Error{Errc::interrupted, "interrupted"};
    if (inside_) {
      inside_ = false;
      return Step::commit;
    }
    if (cseq_ == source_.last()) {
      (void)interrupted_.wait_for(wait, [](bool now) { return now; });
      return Step::nothing;
    }
    ++cseq_;
    inside_ = true;
    event_.type = 30;
    event_.body = as_bytes(source_.event(cseq_));
    commit_.cseq = cseq_;
    commit_.commit_us = 1'000'000 + cseq_;
    commit_.generation = 1;
    commit_.file = "binlog.000001";
    commit_.end_offset = 100 * cseq_;
    commit_.gtid_number = cseq_;
    commit_.gtid_server = 1;
    return Step::event;
  }
  const store::Event& event() const override { return event_; }
  const store::Commit& commit() const override { return commit_; }
  store::Definition definition(std::uint64_t) const override { return nullptr; }
  void interrupt() override {
    interrupted_.with([](bool& now) { now = true; });
  }

 private:
  const Source& source_;
  std::uint64_t cseq_;
  bool inside_ = false;
  store::Event event_;
  store::Commit commit_;
  Guarded<bool> interrupted_{false};
};

// A copy of the source: its scheduler goes through the transactions, and places chunks that were
// read some transactions before.
class ModelCopy {
 public:
  ModelCopy(const Source& source, PlaceGate& gate, unsigned seed)
      : source_(source), gate_(gate), random_(seed) {}

  // Transactions behind `done` through `last`, with the chunks whose places are there.
  void run(std::uint64_t done, std::uint64_t last) {
    for (std::uint64_t cseq = done;;) {
      while (random_() % 3 == 0 && next_ < Source::kKeys) place(cseq);
      if (cseq == last) return;
      gate_.raise(++cseq);
    }
  }
  // What is left, and the end of the snapshot.
  void finish(std::uint64_t cseq) {
    while (next_ < Source::kKeys) place(cseq);
    EXPECT_TRUE(ok(gate_.put(placed(cseq, PieceKind::complete))));
  }

 private:
  void place(std::uint64_t cseq) {
    const std::uint64_t read = cseq - std::min<std::uint64_t>(cseq, random_() % 6);
    const int end = std::min(Source::kKeys, next_ + 1 + static_cast<int>(random_() % 3));
    struct Bytes {
      std::string text;
      store::BytesOut starts;
    };
    auto bytes = std::make_shared<Bytes>();
    for (; next_ < end; ++next_) {
      const auto row = source_.at(read).find(next_);
      if (row == source_.at(read).end() || source_.changed(next_, read, cseq)) continue;
      bytes->starts.uint(bytes->text.size(), 4);
      bytes->text += fmt::format("{}={} ", row->first, row->second);
    }
    PlacedPiece chunk{cseq, {}, bytes};
    chunk.piece.text = bytes->text;
    chunk.piece.starts = bytes->starts.bytes();
    EXPECT_TRUE(ok(gate_.put(std::move(chunk))));
  }

  const Source& source_;
  PlaceGate& gate_;
  std::mt19937 random_;
  int next_ = 0;  // the first key that no chunk has brought
};

void apply(Source::Rows& rows, std::string_view text) {
  while (!text.empty()) {
    const std::string word(text.substr(0, text.find(' ')));
    text.remove_prefix(word.size() + 1);
    const std::size_t sign = word.find('=');
    const int key = std::stoi(word.substr(0, sign));
    if (sign + 1 == word.size()) {
      rows.erase(key);
    } else {
      rows[key] = std::stoi(word.substr(sign + 1));
    }
  }
}

struct Rebuilt {
  Source::Rows rows;
  bool always_right = true;  // each row absent or as it was at that place
  std::uint64_t pieces = 0;
  bool complete = false;
  std::uint64_t cseq = 0;
};

// An empty target, and all that the redo holds.
Rebuilt rebuild(MemoryStorage& storage, const Source& source) {
  Rebuilt out;
  const auto archive = Archive::open(storage, "shop", {});
  if (!ok(archive)) return out;
  const auto look = [&] {
    for (const auto& [key, value] : out.rows) {
      const auto row = source.at(out.cseq).find(key);
      out.always_right &= row != source.at(out.cseq).end() && row->second == value;
    }
  };
  ReaderOptions options;
  options.on_piece = [&](std::uint64_t cseq, const Piece& piece) -> Status {
    EXPECT_EQ(cseq, out.cseq);
    EXPECT_EQ(piece.number, ++out.pieces);
    EXPECT_FALSE(out.complete);
    out.complete = piece.kind == PieceKind::complete;
    if (piece.kind == PieceKind::chunk) apply(out.rows, piece.text);
    look();
    return Unit{};
  };
  auto reader = Reader::open(storage, archive.value(), 0, options);
  if (!ok(reader)) return out;
  for (;;) {
    const auto step = reader.value()->next(kLong);
    if (!ok(step)) return out;
    if (step.value() == Step::nothing && reader.value()->ended()) break;
    if (step.value() == Step::nothing) continue;
    if (step.value() == Step::event) apply(out.rows, as_text(reader.value()->event().body));
    if (step.value() != Step::commit) continue;
    out.cseq = reader.value()->commit().cseq;
    look();
  }
  EXPECT_EQ(archive.value().snapshot(), (SnapshotMark{out.pieces, out.complete}));
  return out;
}

// Everything that a collector hands out without waiting, as "t3" for a block through transaction 3
// and "p2" for piece 2.
std::string taken_now(Collector& collector) {
  std::string all;
  for (;;) {
    const auto block = collector.next(0ms);
    if (!ok(block) || !block.value()) return all;
    const bool piece = block.value()->header.kind == store::BlockKind::snapshot;
    EXPECT_EQ(piece, block.value()->snapshot.has_value());
    EXPECT_EQ(block.value()->end, (store::Point{block.value()->after.cseq + 1, 0}));
    EXPECT_EQ(block.value()->header.last_cseq, block.value()->after.cseq);
    all += piece ? fmt::format("p{} ", block.value()->snapshot->pieces)
                 : fmt::format("t{} ", block.value()->after.cseq);
  }
}

TEST(RedoCollector, TakesEachPieceAtItsPlaceAndNothingBeforeItIsLetThrough) {
  const Source source(30, 1);
  PlaceGate gate(2, {});
  ByteBudget ledger(1 << 20);
  CollectorOptions options;
  options.gate = &gate;
  auto made = Collector::make(std::make_unique<SourceStream>(source, 2), ledger, Dialect::mariadb,
                              place_at(2), options);
  ASSERT_TRUE(ok(made));
  Collector& collector = made.value();
  EXPECT_EQ(taken_now(collector), "");
  ASSERT_TRUE(ok(gate.put(placed(2))));
  EXPECT_EQ(taken_now(collector), "p1 ");
  gate.raise(5);
  EXPECT_EQ(taken_now(collector), "t5 ");
  ASSERT_TRUE(ok(gate.put(placed(5))));
  ASSERT_TRUE(ok(gate.put(placed(5))));
  ASSERT_TRUE(ok(gate.put(placed(8))));
  gate.raise(11);
  EXPECT_EQ(taken_now(collector), "p2 p3 t8 p4 t11 ");
  ASSERT_TRUE(ok(gate.put(placed(20, PieceKind::complete))));
  EXPECT_EQ(taken_now(collector), "t20 p5 t30 ");
}

struct ModelOptions {
  bool fault = false;
  std::chrono::milliseconds age{1};  // of a file
};

// The writer of one epoch of the redo.
class ModelWriter {
 public:
  ModelWriter(MemoryStorage& storage, const Source& source, const Claim& claim,
              const ModelOptions& how = {})
      : gate_(claim.begin.cseq, *claim.snapshot) {
    WriterOptions options = small_writer();
    options.cut.bytes_max = how.age > 1ms ? 1 << 20 : 512;
    options.cut.age_max = 50 * how.age;
    options.cut.age_idle = how.age;
    options.collector.block_bytes = 128;
    options.collector.gate = &gate_;
    options.collector.fault_run_ahead = how.fault;
    auto made =
        Writer::make(storage, claim, std::make_unique<SourceStream>(source, claim.begin.cseq),
                     options, [this](const DurablePtr& durable) {
                       durable_.with([&](DurablePtr& now) { now = newer(now, durable); });
                     });
    if (ok(made)) writer_ = std::move(made).value();
    writer_->start();
  }
  PlaceGate& gate() { return gate_; }
  Writer& writer() { return *writer_; }
  bool wait_for(std::uint64_t cseq, const SnapshotMark& mark) {
    return durable_.wait_for(kLong, [&](const DurablePtr& now) {
      return now != nullptr && now->place.cseq >= cseq && now->snapshot.pieces >= mark.pieces &&
             now->snapshot.complete >= mark.complete;
    });
  }

 private:
  static DurablePtr newer(const DurablePtr& one, const DurablePtr& other) {
    return one == nullptr || other->files > one->files ? other : one;
  }
  PlaceGate gate_;
  Guarded<DurablePtr> durable_;
  std::unique_ptr<Writer> writer_;
};

void put_claim(MemoryStorage& storage, const Claim& claim) {
  const std::string text = encode(claim);
  const Bytes bytes = as_bytes(text);
  storage.change([&](MemoryStorage::Objects& objects) {
    objects[claim_name("shop", claim.epoch.number)] = {bytes.begin(), bytes.end()};
  });
}

TEST(RedoSnapshotStream, RebuildsTheSourceFromNothing) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Source source(80, seed);
    MemoryStorage storage;
    put_claim(storage, snapshot_claim());
    ModelWriter redo(storage, source, snapshot_claim());
    ModelCopy copy(source, redo.gate(), seed);
    copy.run(0, 60);
    copy.finish(60);  // the gate is open: what follows comes by itself
    ASSERT_TRUE(redo.wait_for(80, {1, true}));
    ASSERT_TRUE(ok(redo.writer().stop()));
    const Rebuilt target = rebuild(storage, source);
    EXPECT_TRUE(target.always_right) << seed;
    EXPECT_TRUE(target.complete);
    EXPECT_EQ(target.cseq, 80U);
    EXPECT_EQ(target.rows, source.at(80)) << seed;
    EXPECT_EQ(redo.writer().durable()->snapshot, (SnapshotMark{target.pieces, true}));
  }
}

// The fault: chunks stand where the stream was when they came.
TEST(RedoSnapshotStream, WithoutTheGateOldRowsComeBack) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Source source(80, seed);
    MemoryStorage storage;
    put_claim(storage, snapshot_claim());
    ModelWriter redo(storage, source, snapshot_claim(), {.fault = true});
    ASSERT_TRUE(redo.wait_for(80, {}));
    ModelCopy copy(source, redo.gate(), seed);
    copy.run(0, 60);
    copy.finish(60);
    ASSERT_TRUE(redo.wait_for(80, {1, true}));
    ASSERT_TRUE(ok(redo.writer().stop()));
    const Rebuilt target = rebuild(storage, source);
    wrong += target.always_right ? 0 : 1;
  }
  EXPECT_GT(wrong, 5U);
}

// Chunks that were durable and not at the target are read again and placed once more, behind what
// is durable.
TEST(RedoSnapshotStream, GoesOnWithTheNextEpoch) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Source source(80, seed);
    MemoryStorage storage;
    EpochRequest request;
    request.feed = "shop";
    request.lease_epoch = 1;
    request.dialect = Dialect::mariadb;
    request.source = "server-a";
    request.mapping = "{}";
    request.target = place_at(0);
    request.snapshot = true;
    const auto first = begin_epoch(storage, request, {});
    ASSERT_TRUE(ok(first));
    {
      ModelWriter redo(storage, source, first.value());
      ModelCopy copy(source, redo.gate(), seed);
      copy.run(0, 30);
      ASSERT_TRUE(redo.wait_for(20 + seed % 10, {}));
      ASSERT_TRUE(ok(redo.writer().stop()));
    }
    const auto second = begin_epoch(storage, request, {});
    ASSERT_TRUE(ok(second));
    ASSERT_TRUE(second.value().snapshot);
    const std::uint64_t begin = second.value().begin.cseq;
    ModelWriter redo(storage, source, second.value());
    ModelCopy copy(source, redo.gate(), seed + 1);
    copy.run(begin, 60);
    copy.finish(60);
    ASSERT_TRUE(redo.wait_for(80, {1, true}));
    ASSERT_TRUE(ok(redo.writer().stop()));
    const Rebuilt target = rebuild(storage, source);
    EXPECT_TRUE(target.always_right && target.complete) << seed;
    EXPECT_EQ(target.rows, source.at(80)) << seed;
  }
}

// What a reader brings that begins behind transaction `done`.
struct ReadFrom {
  std::vector<std::uint64_t> places;  // of pieces
  std::uint64_t commits = 0;
};

ReadFrom read_from(MemoryStorage& storage, const Archive& archive, std::uint64_t done) {
  ReadFrom out;
  ReaderOptions options;
  options.on_piece = [&](std::uint64_t cseq, const Piece&) -> Status {
    out.places.push_back(cseq);
    return Unit{};
  };
  auto reader = Reader::open(storage, archive, done, options);
  if (!ok(reader)) return out;
  for (;;) {
    const auto step = reader.value()->next(kLong);
    if (!ok(step) || reader.value()->ended()) return out;
    out.commits += step.value() == Step::commit ? 1 : 0;
  }
}

// What stands behind transaction `done` is read by whoever has all through that one.
TEST(RedoSnapshotStream, IsReadFromAnyTransactionOn) {
  for (const auto age : {1ms, 600'000ms}) {  // many files, and one
    const Source source(80, 1);
    MemoryStorage storage;
    put_claim(storage, snapshot_claim());
    ModelWriter redo(storage, source, snapshot_claim(), {.age = age});
    ModelCopy copy(source, redo.gate(), 1);
    copy.run(0, 80);
    copy.finish(80);
    ASSERT_TRUE(redo.wait_for(80, {1, true}));
    ASSERT_TRUE(ok(redo.writer().stop()));
    EXPECT_EQ(storage.names(".redo").size() == 1, age > 1ms);
    const auto archive = Archive::open(storage, "shop", {});
    ASSERT_TRUE(ok(archive));
    std::vector<std::uint64_t> left = read_from(storage, archive.value(), 0).places;
    EXPECT_FALSE(left.empty());
    for (std::uint64_t done = 0; done <= 80; ++done) {
      std::erase_if(left, [&](std::uint64_t place) { return place < done; });
      const ReadFrom read = read_from(storage, archive.value(), done);
      EXPECT_EQ(read.commits, 80 - done);
      EXPECT_EQ(read.places, left) << done;
    }
  }
}

TEST(RedoSnapshotStream, IsNotTakenForAStreamOfChanges) {
  const Source source(10, 1);
  MemoryStorage storage;
  put_claim(storage, snapshot_claim());
  ModelWriter redo(storage, source, snapshot_claim());
  ASSERT_TRUE(ok(redo.gate().put(placed(3))));
  redo.gate().raise(10);
  ASSERT_TRUE(redo.wait_for(10, {1, false}));
  ASSERT_TRUE(ok(redo.writer().stop()));
  const auto archive = Archive::open(storage, "shop", {});
  ASSERT_TRUE(ok(archive));
  auto reader = Reader::open(storage, archive.value(), 0, {});
  ASSERT_TRUE(ok(reader));
  auto step = reader.value()->next(kLong);
  while (step.ok() && step.value() != Step::nothing) step = reader.value()->next(kLong);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().code, Errc::unsupported);
  EXPECT_EQ(reader.value()->commit().cseq, 3U);
}

// A writer whose gate is shut ends at once, and what it took is there.
TEST(RedoSnapshotStream, StopsWhileItWaitsForTheGate) {
  const Source source(10, 1);
  MemoryStorage storage;
  put_claim(storage, snapshot_claim());
  ModelWriter redo(storage, source, snapshot_claim());
  redo.gate().raise(4);
  ASSERT_TRUE(redo.wait_for(4, {}));
  ASSERT_TRUE(ok(redo.writer().stop()));
  EXPECT_EQ(Archive::open(storage, "shop", {}).value().resolved().cseq, 4U);
}

}  // namespace
}  // namespace wherry::redo
