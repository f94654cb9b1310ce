#include "mpi_ranks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#ifdef C2RL_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace c2rl {
namespace {

/// What mpirun of Open MPI, that of MPICH and its kin, and srun tell those that they start. Beginning with MPI takes a tenth
/// of a second, which a command that was started by itself need not.
bool is_one_of_several() {
  constexpr std::array kSizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::ranges::any_of(kSizes, [](const char* name) { return std::getenv(name) != nullptr; });
}

#ifdef C2RL_MPI

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// On this machine, there are more ranks than cores.
bool is_crowded() {
  MPI_Comm here = MPI_COMM_NULL;
  int size = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &size);
  MPI_Comm_free(&here);
  return size > sysconf(_SC_NPROCESSORS_ONLN);
}

/// Errors of MPI end the job with a message, which is what it does by itself.
class MpiRanks final : public Ranks {
 public:
  MpiRanks() : Ranks(world_rank(), world_size(), is_crowded()) {}
  ~MpiRanks() override { MPI_Finalize(); }

  void send(int to, std::string_view bytes) override {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }

  std::optional<Message> poll() override {
    int there = 0, size = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (!there) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  void end_all(std::string_view why) override {
    std::cerr << "rank " << rank() << ": " << why << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  void add(std::span<double> values) override { reduce(values, MPI_SUM); }
  void take_largest(std::span<double> values) override { reduce(values, MPI_MAX); }

  std::vector<std::string> exchange(const std::vector<std::string>& outgoing) override {
    std::vector<std::int64_t> sizes, incoming_sizes(outgoing.size());
    for (const std::string& bytes : outgoing) sizes.push_back(std::ssize(bytes));
    MPI_Alltoall(sizes.data(), 1, MPI_INT64_T, incoming_sizes.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    std::vector<std::string> incoming(outgoing.size());
    Transfers transfers;
    for (int other = 0; other < size(); ++other) {
      incoming[other].resize(static_cast<std::size_t>(incoming_sizes[other]));
      transfers.receive(incoming[other].data(), static_cast<int>(incoming_sizes[other]), MPI_BYTE, other);
    }
    for (int other = 0; other < size(); ++other)
      transfers.send(outgoing[other].data(), static_cast<int>(sizes[other]), MPI_BYTE, other);
    transfers.finish();
    return incoming;
  }

  void exchange(std::span<const double> outgoing, std::span<const int> outgoing_counts,
                std::span<double> incoming, std::span<const int> incoming_counts) override {
    Transfers transfers;
    double* to = incoming.data();
    for (int other = 0; other < size(); to += incoming_counts[other++])
      transfers.receive(to, incoming_counts[other], MPI_DOUBLE, other);
    const double* from = outgoing.data();
    for (int other = 0; other < size(); from += outgoing_counts[other++])
      transfers.send(from, outgoing_counts[other], MPI_DOUBLE, other);
    transfers.finish();
  }

 private:
  /// Between this rank and those that it has to do with, all at once. MPI's own exchange counts what all of them send in 31
  /// bits, and waits for those that send nothing.
  class Transfers {
   public:
    void receive(void* to, int count, MPI_Datatype type, int from) {
      if (count > 0) MPI_Irecv(to, count, type, from, kTag, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    void send(const void* from, int count, MPI_Datatype type, int to) {
      if (count > 0) MPI_Isend(from, count, type, to, kTag, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    void finish() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

   private:
    static constexpr int kTag = 1;  // not a message's, which is 0
    std::vector<MPI_Request> requests_;
  };

  /// By the first rank, which tells the others: MPI promises the same bits everywhere for that alone.
  static void reduce(std::span<double> values, MPI_Op operation) {
    std::vector<double> result(values.size());
    const int count = static_cast<int>(values.size());
    MPI_Reduce(values.data(), result.data(), count, MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
    MPI_Bcast(result.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::ranges::copy(result, values.begin());
  }
};

#endif

}  // namespace

std::unique_ptr<Ranks> ranks_of_job() {
  if (!is_one_of_several()) return nullptr;
#ifdef C2RL_MPI
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  return std::make_unique<MpiRanks>();
#else
  throw InputError(
      "this c2rl was started as one of several ranks, and built without MPI; expected it to be started by "
      "itself, or to be built where CMake finds MPI");
#endif
}

}  // namespace c2rl
