#include "c2rl/base/seal.h"

#include <gtest/gtest.h>

#include "c2rl/base/sha256.h"

namespace c2rl {
namespace {

TEST(Seal, AnyChangedByteIsNoticed) {
  const std::string other = "sha256:" + sha256("a file that this one names");
  const std::string text =
      sealed("{\"model\":\"" + other + "\",\"seal\":\"" + std::string(kBlankSeal) + "\"}");
  ASSERT_EQ(text.find(kBlankSeal), std::string::npos);
  EXPECT_NE(text.find(seal_of(text)), text.find(other));
  EXPECT_EQ(seal_of(text).size(), kBlankSeal.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int bit : {0, 5, 7}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_EQ(seal_of(changed), "") << i;
    }
    EXPECT_EQ(seal_of(text.substr(0, i)), "") << i;
  }
  EXPECT_EQ(seal_of(text + " "), "");
}

TEST(Seal, IsTheChecksumOfTheTextWithZerosInItsPlace) {
  const std::string blank = "# " + std::string(kBlankSeal) + "\n";
  EXPECT_EQ(sealed(blank), "# sha256:" + sha256(blank) + "\n");
  EXPECT_EQ(seal_of(blank), "");
  EXPECT_EQ(seal_of("no seal at all"), "");
}

}  // namespace
}  // namespace c2rl
