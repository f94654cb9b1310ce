#include "c2rl/base/tar.h"

#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "c2rl/base/error.h"
#include "c2rl/base/file.h"
#include "c2rl/base/gzip.h"
#include "c2rl/base/mapped_file.h"

namespace c2rl {
namespace {

namespace fs = std::filesystem;

class Tar : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string folder_ = testing::TempDir() + "c2rl_tar_" + std::to_string(getpid());
};

// What stands there is what the system's own tar packs and unpacks.
TEST_F(Tar, IsUnderstoodByTar) {
  TarWriter writer;
  writer.add("index.json", "{}\n");
  writer.add("a/b/values.bin", std::string(1000, 'x'));
  writer.add("empty", "");
  write_file(path("ours.tar"), std::move(writer).finish());
  const std::string unpack = "cd " + folder_ + " && mkdir there && tar -xf ours.tar -C there && ls -l there";
  ASSERT_EQ(std::system(unpack.c_str()), 0);
  EXPECT_EQ(read_file(path("there/index.json")), "{}\n");
  EXPECT_EQ(read_file(path("there/a/b/values.bin")), std::string(1000, 'x'));
  EXPECT_EQ(read_file(path("there/empty")), "");
  for (const std::string format : {"ustar", "pax", "gnu"}) {
    const std::string pack =
        "cd " + folder_ + "/there && tar --format=" + format + " -cf ../theirs.tar ./index.json a";
    ASSERT_EQ(std::system(pack.c_str()), 0);
    const MappedFile theirs(path("theirs.tar"));
    const auto files = files_of_tar(theirs.bytes(), "theirs.tar");
    ASSERT_EQ(files.size(), 2U) << format;
    EXPECT_EQ(files.at("index.json"), "{}\n");
    EXPECT_EQ(files.at("a/b/values.bin"), std::string(1000, 'x'));
  }
}

TEST_F(Tar, GzipIsWhatGzipMakes) {
  const std::string content(3'000'000, 'y');
  write_file(path("plain"), content + "end");
  ASSERT_EQ(std::system(("gzip -k " + path("plain")).c_str()), 0);
  const std::string packed = read_file(path("plain.gz"));
  ASSERT_TRUE(is_gzip(packed));
  EXPECT_EQ(gunzip(packed, "x", 1 << 22), content + "end");
  EXPECT_EQ(gunzip(packed + packed, "x", 1 << 23), content + "end" + content + "end");
  EXPECT_THROW(gunzip(packed, "x", 1 << 20), InputError);
  for (std::size_t size = 3; size < packed.size(); size += 101)
    EXPECT_THROW(gunzip(packed.substr(0, size), "x", 1 << 22), InputError) << size;
}

TEST_F(Tar, NoBytesAreTakenForAnArchive) {
  EXPECT_THROW(files_of_tar("", "x"), InputError);
  EXPECT_THROW(files_of_tar(std::string(100, 'a'), "x"), InputError);
  EXPECT_THROW(files_of_tar(std::string(2000, 'a'), "x"), InputError);
  TarWriter twice;
  twice.add("a", "1");
  twice.add("a", "2");
  EXPECT_THROW(files_of_tar(std::move(twice).finish(), "x"), InputError);
}

TEST_F(Tar, AFileIsSeenAsItIs) {
  write_file(path("some"), "content");
  EXPECT_EQ(MappedFile(path("some")).bytes(), "content");
  write_file(path("none"), "");
  EXPECT_EQ(MappedFile(path("none")).bytes(), "");
  EXPECT_THROW(MappedFile(path("missing")), InputError);
}

}  // namespace
}  // namespace c2rl
