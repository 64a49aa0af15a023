#include "support/units.h"

#include <gtest/gtest.h>

#include <array>

namespace wherry {
namespace {

using std::chrono::milliseconds;

TEST(Units, Sizes) {
  EXPECT_EQ(parse_size("0").value(), 0u);
  EXPECT_EQ(parse_size("4096").value(), 4096u);
  EXPECT_EQ(parse_size("64MiB").value(), 64u << 20);
  EXPECT_EQ(parse_size("64mib").value(), 64u << 20);
  EXPECT_EQ(parse_size(" 1 GiB ").value(), 1u << 30);
  EXPECT_EQ(parse_size("10MB").value(), 10'000'000u);
  EXPECT_EQ(parse_size("10M").value(), 10u << 20);
  EXPECT_EQ(parse_size("1.5KiB").value(), 1536u);
  EXPECT_EQ(parse_size("2tb").value(), 2'000'000'000'000u);
  EXPECT_EQ(parse_size("18446744073709551615").value(), 18446744073709551615u);
  for (const char* text :
       {"", "MiB", "-1", "1.MiB", "1,5GiB", "64 MiBs", "0x10", "1e3", "18446744073709551616",
        "17179869184GiB", "1.1234567GiB", "nan", "1 2"}) {
    EXPECT_FALSE(parse_size(text).ok()) << text;
  }
}

TEST(Units, Durations) {
  EXPECT_EQ(parse_duration("2s").value(), milliseconds(2000));
  EXPECT_EQ(parse_duration("500ms").value(), milliseconds(500));
  EXPECT_EQ(parse_duration("5m").value(), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1h").value(), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("2d").value(), milliseconds(172'800'000));
  EXPECT_EQ(parse_duration("1h30m").value(), milliseconds(5'400'000));
  EXPECT_EQ(parse_duration("0.25s").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("0").value(), milliseconds(0));
  for (const char* text :
       {"", "2", "s", "2 s x", "2x", "-2s", "1h 30", "999999999999d", "36500d36500d"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(Units, Rates) {
  EXPECT_EQ(parse_rate("20000rows").value(), (Rate{Rate::Unit::rows, 20000}));
  EXPECT_EQ(parse_rate("20000 rows/s").value(), (Rate{Rate::Unit::rows, 20000}));
  EXPECT_EQ(parse_rate("50MiB").value(), (Rate{Rate::Unit::bytes, 50u << 20}));
  EXPECT_EQ(parse_rate("50MiB/s").value(), (Rate{Rate::Unit::bytes, 50u << 20}));
  for (const char* text : {"", "200", "0rows", "0MiB", "1.5rows", "rows", "20columns", "/s"}) {
    EXPECT_FALSE(parse_rate(text).ok()) << text;
  }
}

TEST(Units, BytesForPeople) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1u << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{5} << 40), "5.0 TiB");
  EXPECT_EQ(format_bytes(18446744073709551615u), "16.0 EiB");
}

TEST(Units, DurationsForPeople) {
  EXPECT_EQ(format_duration(milliseconds(0)), "0ms");
  EXPECT_EQ(format_duration(milliseconds(999)), "999ms");
  EXPECT_EQ(format_duration(milliseconds(12'345)), "12.3s");
  EXPECT_EQ(format_duration(milliseconds(59'999)), "59.9s");
  EXPECT_EQ(format_duration(milliseconds(125'000)), "2m05s");
  EXPECT_EQ(format_duration(milliseconds(3'725'000)), "1h02m");
  EXPECT_EQ(format_duration(milliseconds(273'600'000)), "3d04h");
  EXPECT_EQ(format_duration(milliseconds(-1500)), "-1.5s");
}

TEST(Units, TimesRoundTrip) {
  EXPECT_EQ(format_utc(UtcTime(milliseconds(0))), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(UtcTime(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_utc(UtcTime(milliseconds(1'709'208'000'050))), "2024-02-29T12:00:00.050Z");
  EXPECT_EQ(parse_utc("2024-02-29T12:00:00.05Z").value(), UtcTime(milliseconds(1'709'208'000'050)));
  EXPECT_EQ(parse_utc("2024-02-29 12:00:00").value(), UtcTime(milliseconds(1'709'208'000'000)));
  EXPECT_EQ(parse_utc("2024-02-29T12:00:00.123456+00:00").value(),
            UtcTime(milliseconds(1'709'208'000'123)));
  for (const char* text : {"", "2024-02-30T00:00:00Z", "2024-02-29", "2024-02-29T24:00:00Z",
                           "2024-02-29T12:00:00+01:00", "2024-02-29T12:00:00.Z",
                           "24-02-29T12:00:00Z", "2024-13-01T00:00:00Z"}) {
    EXPECT_FALSE(parse_utc(text).ok()) << text;
  }
}

TEST(Nearest, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 5> kWords{"include", "exclude", "tls-ca", "max-downtime",
                                                   "max-lag"};
  EXPECT_EQ(nearest("inclued", kWords), "include");
  EXPECT_EQ(nearest("EXCLUDE", kWords), "exclude");
  EXPECT_EQ(nearest("tls_ca", kWords), "tls-ca");
  EXPECT_EQ(nearest("maxlag", kWords), "max-lag");
  EXPECT_EQ(nearest("max-down", kWords), "max-downtime");
  EXPECT_EQ(nearest("zebra", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(did_you_mean("inclued", kWords), " (did you mean include?)");
  EXPECT_EQ(did_you_mean("zebra", kWords), "");
}

}  // namespace
}  // namespace wherry
