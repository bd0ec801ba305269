#include "runtime/base/site.h"

#include <gtest/gtest.h>

namespace strandcore {
namespace {

Site WhereCalled(Site site = Site::Here()) { return site; }

TEST(SiteTest, IsTheCallersLine) {
  const Site site = WhereCalled();
  const uint32_t line = __LINE__ - 1;
  EXPECT_TRUE(site.known());
  EXPECT_EQ(site.line, line);
  EXPECT_EQ(site.ToString(), "site_test.cc:" + std::to_string(line));
}

TEST(SiteTest, PrintsTheFilesLastComponent) {
  EXPECT_EQ((Site{"a/b/matmul.cc", "Matmul", 41}).ToString(), "matmul.cc:41");
  EXPECT_EQ((Site{"matmul.cc", "Matmul", 41}).ToString(), "matmul.cc:41");
}

TEST(SiteTest, UnknownPrintsNothing) {
  EXPECT_FALSE(Site().known());
  EXPECT_EQ(Site().ToString(), "");
}

}  // namespace
}  // namespace strandcore
