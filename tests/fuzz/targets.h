#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace c2rl {

/// A reader of untrusted bytes, in the form that libFuzzer calls. Gives 0 where they could be read, and -1 where they
/// were refused. It throws, or crashes, where c2rl has a defect: an InputError is the only error that bytes may cause,
/// and what could be read keeps the invariants of its kind and reads back the same once it is written.
using FuzzFunction = int (*)(const std::uint8_t* bytes, std::size_t size);

/// A line of the constraint language.
int fuzz_constraint(const std::uint8_t* bytes, std::size_t size);
/// A whole problem file, of small worlds.
int fuzz_problem(const std::uint8_t* bytes, std::size_t size);
/// A table of measured policies.
int fuzz_points(const std::uint8_t* bytes, std::size_t size);
/// An explicit model.
int fuzz_drn(const std::uint8_t* bytes, std::size_t size);
int fuzz_umb(const std::uint8_t* bytes, std::size_t size);
int fuzz_json(const std::uint8_t* bytes, std::size_t size);
/// A line of record.jsonl.
int fuzz_record(const std::uint8_t* bytes, std::size_t size);
/// A result.json.
int fuzz_result(const std::uint8_t* bytes, std::size_t size);
/// An experiment.json.
int fuzz_experiment(const std::uint8_t* bytes, std::size_t size);
/// A learning.jsonl. What cannot be read of it is left out; it is refused where that is all.
int fuzz_learning(const std::uint8_t* bytes, std::size_t size);
/// The problem.toml of a run. A blank seal is filled in, as no change of other bytes would get past it.
int fuzz_run_problem(const std::uint8_t* bytes, std::size_t size);
int fuzz_safetensors(const std::uint8_t* bytes, std::size_t size);
/// A policy for a small world with numbered states, or with features.
int fuzz_policy(const std::uint8_t* bytes, std::size_t size);
/// A dataset. Its checksum is filled in.
int fuzz_dataset(const std::uint8_t* bytes, std::size_t size);

struct FuzzTarget {
  const char* name;  // its corpus is tests/fuzz/corpus/NAME
  FuzzFunction run;
};
inline constexpr FuzzTarget kFuzzTargets[] = {
    {"constraint", fuzz_constraint},
    {"problem", fuzz_problem},
    {"points", fuzz_points},
    {"drn", fuzz_drn},
    {"umb", fuzz_umb},
    {"json", fuzz_json},
    {"record", fuzz_record},
    {"result", fuzz_result},
    {"experiment", fuzz_experiment},
    {"learning", fuzz_learning},
    {"run_problem", fuzz_run_problem},
    {"safetensors", fuzz_safetensors},
    {"policy", fuzz_policy},
    {"dataset", fuzz_dataset},
};

}  // namespace c2rl
