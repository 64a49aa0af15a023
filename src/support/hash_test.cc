// Known digests of the functions that files depend on.

#include "support/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace wherry {
namespace {

// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
TEST(HashTest, Crc32cIsCastagnolis) {
  EXPECT_EQ(crc32c_of(as_bytes("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c_of(as_bytes(std::string(32, '\0'))), 0x8A9136AAU);
  EXPECT_EQ(crc32c_of(as_bytes(std::string(32, '\xFF'))), 0x62A8AB43U);
  EXPECT_EQ(crc32c_of({}), 0U);
}

TEST(HashTest, Crc32cGoesOnFromASeed) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::uint32_t head = crc32c_of(as_bytes(text).first(cut));
    EXPECT_EQ(crc32c_of(as_bytes(text).subspan(cut), head), crc32c_of(as_bytes(text))) << cut;
  }
}

}  // namespace
}  // namespace wherry
