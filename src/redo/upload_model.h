// What an upload costs here: a fixed time and a time per byte, fitted to the uploads that were
// seen, newer ones counting more. One thread at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace wherry::redo {

class UploadModel {
 public:
  void add(std::size_t bytes, std::chrono::duration<double> took) {
    const double x = static_cast<double>(bytes);
    const double y = took.count();
    n_ = n_ * kKeep + 1;
    sx_ = sx_ * kKeep + x;
    sy_ = sy_ * kKeep + y;
    sxx_ = sxx_ * kKeep + x * x;
    sxy_ = sxy_ * kKeep + x * y;
    const double spread = n_ * sxx_ - sx_ * sx_;
    // Sizes that hardly differ tell nothing about the cost of a byte.
    if (n_ < kSamplesMin || spread <= 0.01 * sx_ * sx_) return;
    const double per_byte = std::max((n_ * sxy_ - sx_ * sy_) / spread, 1e-12);
    latency_s_ = std::max((sy_ - per_byte * sx_) / n_, 0.0);
    bytes_per_s_ = 1 / per_byte;
  }

  double latency_s() const { return latency_s_; }
  double bytes_per_s() const { return bytes_per_s_; }
  // Twice bandwidth times latency: two thirds of the time of such an upload moves bytes.
  std::size_t target_bytes() const {
    if (bytes_per_s_ == 0) return kFirst;
    const double twice = 2 * bytes_per_s_ * latency_s_;
    return static_cast<std::size_t>(std::clamp(twice, double{kLeast}, double{kMost}));
  }

 private:
  static constexpr double kKeep = 0.98;
  static constexpr double kSamplesMin = 4;
  static constexpr std::size_t kFirst = 4 << 20;
  static constexpr std::size_t kLeast = 1 << 20;
  static constexpr std::size_t kMost = 64 << 20;

  double n_ = 0, sx_ = 0, sy_ = 0, sxx_ = 0, sxy_ = 0;
  double latency_s_ = 0;
  double bytes_per_s_ = 0;
};

}  // namespace wherry::redo
