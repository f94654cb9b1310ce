#include "c2rl/run/record_file.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace c2rl {
namespace {

class RecordReaderTest : public testing::Test {
 protected:
  RecordReaderTest() { write_file(path_, ""); }
  ~RecordReaderTest() override { std::filesystem::remove(path_); }

  static RunRecord call(int number, double seconds) {
    CallRecord record;
    record.call = number;
    record.direction = Vector::Unit(2, 0);
    record.found.point = record.found.standard_error = Vector::Zero(2);
    record.seconds = seconds;
    return record;
  }
  void append(int first, int last, double seconds = 1) const {
    for (int number = first; number <= last; ++number) file_.append(call(number, seconds), number);
  }
  /// What the reader says, which must be what one says that reads the file for the first time.
  const Recorded& read() {
    const Recorded& recorded = reader_.read(path_, "print");
    const Recorded anew = file_.read();
    EXPECT_EQ(recorded.torn_line, anew.torn_line);
    EXPECT_EQ(recorded.records.size(), anew.records.size());
    for (std::size_t i = 0; i < std::min(recorded.records.size(), anew.records.size()); ++i) {
      const auto& one = std::get<CallRecord>(recorded.records[i]);
      const auto& other = std::get<CallRecord>(anew.records[i]);
      EXPECT_EQ(one.call, other.call);
      EXPECT_EQ(one.seconds, other.seconds);
    }
    return recorded;
  }

  const std::string path_ = testing::TempDir() + "c2rl_record_reader_" + std::to_string(getpid());
  const RecordFile file_{path_, "print", Sync::no};
  RecordReader reader_;
};

TEST_F(RecordReaderTest, ReadsOnWhereItWas) {
  EXPECT_TRUE(read().records.empty());
  append(1, 3);
  EXPECT_EQ(read().records.size(), 3);
  EXPECT_EQ(read().records.size(), 3);
  append(4, 5);
  EXPECT_EQ(read().records.size(), 5);
}

// What has been read is not read again: a first line that is damaged now is noticed by others only.
TEST_F(RecordReaderTest, ReadsNothingTwice) {
  append(1, 3);
  read();
  std::string text = read_file(path_);
  text[10] = '?';
  write_file(path_, text);
  append(4, 4);
  EXPECT_EQ(reader_.read(path_, "print").records.size(), 4);
  EXPECT_THROW(file_.read(), InputError);
}

TEST_F(RecordReaderTest, WaitsForTheRestOfALine) {
  append(1, 2);
  const std::string before = read_file(path_);
  append(3, 3);
  const std::string after = read_file(path_);
  write_file(path_, before);
  read();
  write_file(path_, after.substr(0, before.size() + 50));
  EXPECT_EQ(read().torn_line, 3);
  write_file(path_, after);
  EXPECT_EQ(read().records.size(), 3);
}

// A run that goes on after something was cut off writes other lines in their place.
TEST_F(RecordReaderTest, BeginsAgainWhereTheFileIsAnother) {
  append(1, 4);
  read();
  file_.cut_to(2);
  EXPECT_EQ(read().records.size(), 2);
  append(3, 6, 2);
  read();
  file_.cut_to(2);
  append(3, 9, 3);
  EXPECT_EQ(read().records.size(), 9);
  std::filesystem::remove(path_);
  EXPECT_TRUE(read().records.empty());
}

}  // namespace
}  // namespace c2rl
