// How fast models are read, beside how fast the bytes of their files are, in the same run: reading_bench FILE...
// Files that the system has not at hand come from the disk: run it twice.

#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "c2rl/base/mapped_file.h"
#include "c2rl/base/stopwatch.h"
#include "c2rl/environments/model_file.h"

namespace {

using namespace c2rl;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Of one thread that looks at every page and every byte of it.
double seconds_of_bytes(const std::string& path, std::size_t& size) {
  const Stopwatch watch;
  const MappedFile file(path);
  size = file.bytes().size();
  unsigned sum = 0;
  for (const char c : file.bytes()) sum += static_cast<unsigned char>(c);
  const double seconds = watch.seconds();
  return sum == 0 ? 0 : seconds;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  CLI::App app("How fast models are read");
  app.add_option("FILE", files, "models")->required();
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:<24} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "file", "MB", "bytes s", "model s", "cpu s",
             "MB/s", "peak MB");
  for (const std::string& path : files) {
    std::size_t size = 0;
    const double bytes = seconds_of_bytes(path, size);
    const double before = processor_seconds();
    const Stopwatch watch;
    const TabularModel model = read_model_file(path);
    const double seconds = watch.seconds(), used = processor_seconds() - before;
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{:<24} {:>8.0f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>9}\n",
               path.substr(path.rfind('/') + 1), static_cast<double>(size) / 1e6, bytes, seconds, used,
               static_cast<double>(size) / 1e6 / seconds, usage.ru_maxrss / 1024);
    std::fflush(stdout);
  }
}
