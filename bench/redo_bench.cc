// What the writer of redo reaches on an emulated storage, beside the ideal of its latency,
// bandwidth and uploaders, and beside a serial design: one that cuts a file by its number of rows
// and waits for each upload. Real time, real threads; prints one line of JSON a case. bench/run.py
// redo calls it.

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "redo/writer.h"
#include "storage/blackhole_storage.h"
#include "storage/emulated_storage.h"

namespace wherry::redo {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr double kMiB = 1 << 20;
constexpr std::size_t kRowBytes = 1000;
constexpr std::size_t kRowsOfTransaction = 20;

// Transactions of equal rows, at a rate or as fast as they are taken.
class Rows : public store::RecordSource {
 public:
  explicit Rows(double bytes_per_s = 0) : bytes_per_s_(bytes_per_s), text_(kRowBytes, 'r') {
    // Half of it compresses, as rows do.
    for (std::size_t i = 0; i < text_.size(); i += 2)
      text_[i] = static_cast<char>((i * 2654435761U) >> 7);
    event_.type = 30;
    event_.body = as_bytes(text_);
  }

  Result<Step> next(std::chrono::milliseconds wait) override {
    if (stopped_) return Error{Errc::interrupted, "stopped"};
    if (row_ == 0 && bytes_per_s_ > 0) {
      const auto due = begun_ + Seconds(static_cast<double>(bytes_) / bytes_per_s_);
      const auto left = due - std::chrono::steady_clock::now();
      if (left > Seconds(0)) {
        if (wait == 0ms) return Step::nothing;
        std::this_thread::sleep_for(std::min<Seconds>(left, wait));
        return Step::nothing;
      }
    }
    if (row_ < kRowsOfTransaction) {
      ++row_;
      bytes_ += kRowBytes;
      return Step::event;
    }
    row_ = 0;
    commit_.cseq = ++cseq_;
    commit_.commit_us = cseq_;
    commit_.file = "b.1";
    commit_.end_offset = bytes_;
    return Step::commit;
  }
  const store::Event& event() const override { return event_; }
  const store::Commit& commit() const override { return commit_; }
  store::Definition definition(std::uint64_t) const override { return nullptr; }
  void interrupt() override { stopped_ = true; }

 private:
  const double bytes_per_s_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::string text_;
  store::Event event_;
  store::Commit commit_;
  std::size_t row_ = 0;
  std::uint64_t cseq_ = 0;
  std::uint64_t bytes_ = 0;
  std::atomic<bool> stopped_{false};
};

struct Corner {
  std::chrono::milliseconds latency{0};
  double bandwidth_mib = 0;  // of one upload; 0: no bound
  unsigned uploaders = 8;
  double sigma = 0;
  double rate_mib = 0;  // 0: as fast as it goes
};

Claim claim() {
  Claim claim;
  claim.feed = "bench";
  claim.epoch = {1, 1};
  claim.begin.generation = 1;
  return claim;
}

std::unique_ptr<storage::Storage> emulated(const Corner& corner) {
  storage::FaultOptions faults;
  faults.latency = corner.latency;
  faults.sigma = corner.sigma;
  faults.bandwidth = static_cast<std::uint64_t>(corner.bandwidth_mib * kMiB);
  return std::make_unique<storage::EmulatedStorage>(
      std::make_shared<storage::BlackholeStorage>(0ms, machine_clock()), faults, machine_clock());
}

WriterOptions options_of(const Corner& corner) {
  WriterOptions options;
  options.uploaders = corner.uploaders;
  options.compress = false;
  options.memory = (corner.uploaders + 3) * options.cut.bytes_max;
  return options;
}

struct Figures {
  double mib_per_s = 0;
  double peak_mib = 0;
  double puts_per_s = 0;
  double lag_p50_s = 0;
  double lag_p99_s = 0;
};

// Measured over the second part of the run, once the first uploads have ended.
Figures run_writer(const Corner& corner, Seconds warm, Seconds measured) {
  const std::unique_ptr<storage::Storage> storage = emulated(corner);
  auto made = Writer::make(*storage, claim(), std::make_unique<Rows>(corner.rate_mib * kMiB),
                           options_of(corner), [](const DurablePtr&) {});
  Writer& writer = *made.value();
  writer.start();
  std::this_thread::sleep_for(warm);
  const DurablePtr before = writer.durable();
  const auto begun = std::chrono::steady_clock::now();
  std::vector<double> lags;
  while (std::chrono::steady_clock::now() - begun < measured) {
    std::this_thread::sleep_for(5ms);
    const WriterStatus status = writer.status();
    lags.push_back(
        status.oldest ? Seconds(std::chrono::steady_clock::now() - *status.oldest).count() : 0.0);
  }
  const DurablePtr after = writer.durable();
  const double took = Seconds(std::chrono::steady_clock::now() - begun).count();
  std::sort(lags.begin(), lags.end());
  Figures figures;
  figures.mib_per_s = static_cast<double>(after->bytes - before->bytes) / took / kMiB;
  figures.puts_per_s = static_cast<double>(after->files - before->files) / took;
  figures.peak_mib = static_cast<double>(writer.status().peak_bytes) / kMiB;
  figures.lag_p50_s = lags[lags.size() / 2];
  figures.lag_p99_s = lags[lags.size() * 99 / 100];
  return figures;
}

// The design that waits: 1025 rows make a file, and the next one begins when it is there.
double run_serial(const Corner& corner, Seconds measured) {
  constexpr std::size_t kRows = 1025;
  const std::unique_ptr<storage::Storage> storage = emulated(corner);
  Rows rows;
  const auto begun = std::chrono::steady_clock::now();
  double bytes = 0;
  for (int number = 0; std::chrono::steady_clock::now() - begun < measured; ++number) {
    std::vector<std::byte> file;
    for (std::size_t row = 0; row < kRows;) {
      if (rows.next(0ms).value() != store::RecordSource::Step::event) continue;
      file.insert(file.end(), rows.event().body.begin(), rows.event().body.end());
      ++row;
    }
    const Bytes part(file);
    if (!storage->put(fmt::format("serial/{}", number), {&part, 1}, {}).ok()) return 0;
    bytes += static_cast<double>(file.size());
  }
  return bytes / Seconds(std::chrono::steady_clock::now() - begun).count() / kMiB;
}

double ideal_mib(const Corner& corner, double assembly_mib) {
  constexpr double kFileMib = 64;
  const double transfer = corner.bandwidth_mib > 0 ? kFileMib / corner.bandwidth_mib : 0;
  const double one = Seconds(corner.latency).count() + transfer;
  return one > 0 ? std::min(assembly_mib, corner.uploaders * kFileMib / one) : assembly_mib;
}

// How fast blocks are collected, framed and built into files, with a storage that takes no time.
double assembly() { return run_writer({0ms, 0, 2}, 500ms, 3s).mib_per_s; }

void print_corner(const Corner& corner, double assembly_mib) {
  const double one =
      Seconds(corner.latency).count() + (corner.bandwidth_mib > 0 ? 64 / corner.bandwidth_mib : 0);
  const Figures figures =
      run_writer(corner, Seconds(std::max(1.0, 2 * one)), Seconds(std::max(4.0, 8 * one)));
  const double ideal = ideal_mib(corner, assembly_mib);
  const double serial = run_serial(corner, 2s);
  fmt::print(
      "{{\"kind\":\"throughput\",\"latency_s\":{},\"bandwidth_mib\":{},\"uploaders\":{},"
      "\"mib_per_s\":{:.1f},\"ideal\":{:.1f},\"of_ideal\":{:.3f},\"serial\":{:.1f},"
      "\"puts_per_s\":{:.1f},\"peak_mib\":{:.0f}}}\n",
      Seconds(corner.latency).count(), corner.bandwidth_mib, corner.uploaders, figures.mib_per_s,
      ideal, figures.mib_per_s / ideal, serial, figures.puts_per_s, figures.peak_mib);
}

void print_lag(const Corner& corner) {
  const Figures figures = run_writer(corner, 4s, 20s);
  // F + n/B + p99(L), with the file that the rate fills in F.
  const double p99 = Seconds(corner.latency).count() * std::exp(2.326 * corner.sigma);
  const double bound = 1 + std::min(corner.rate_mib, 64.0) / corner.bandwidth_mib + p99;
  fmt::print(
      "{{\"kind\":\"lag\",\"latency_s\":{},\"sigma\":{},\"bandwidth_mib\":{},\"rate_mib\":{},"
      "\"p50_s\":{:.3f},\"p99_s\":{:.3f},\"bound_s\":{:.3f},\"puts_per_s\":{:.1f},"
      "\"mib_per_s\":{:.1f}}}\n",
      Seconds(corner.latency).count(), corner.sigma, corner.bandwidth_mib, corner.rate_mib,
      figures.lag_p50_s, figures.lag_p99_s, bound, figures.puts_per_s, figures.mib_per_s);
}

int run(bool quick) {
  const double assembly_mib = assembly();
  fmt::print("{{\"kind\":\"assembly\",\"mib_per_s\":{:.0f}}}\n", assembly_mib);
  const std::vector<Corner> corners = {
      {20ms, 10, 1},   {20ms, 50, 4},   {20ms, 200, 2},  {100ms, 10, 8},  {100ms, 50, 1},
      {100ms, 50, 8},  {100ms, 100, 4}, {200ms, 25, 4},  {200ms, 200, 2}, {500ms, 50, 8},
      {1000ms, 10, 8}, {1000ms, 50, 8}, {1000ms, 200, 4}};
  for (std::size_t i = 0; i < corners.size(); i += quick ? 6 : 1)
    print_corner(corners[i], assembly_mib);
  print_lag({100ms, 50, 8, 0.8, 5});
  if (!quick) print_lag({100ms, 50, 8, 0.8, 80});
  return 0;
}

}  // namespace
}  // namespace wherry::redo

int main(int count, char** words) {
  return wherry::redo::run(count > 1 && std::string_view(words[1]) == "--quick");
}
