#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nanobind/nanobind.h>

#include "c2rl/oracle/oracle.h"
#include "python_object.h"

namespace c2rl::python {

/// What a user's Python code raised while C++ called it. Ctrl-C there ends the work with what it has; anything else is a failure
/// of the oracle, which tells in words why and keeps the exception, to be raised from.
class Failure {
 public:
  /// Calls `work` with the interpreter's lock.
  template <typename Work>
  auto guard(Work work) {
    const nanobind::gil_scoped_acquire lock;
    try {
      return work();
    } catch (nanobind::python_error& error) {
      translate(error);
    }
  }

  /// The last exception, which is not kept any longer; None where there was none. It knows of all that was there when it
  /// was raised, which would never end if it were kept by something of that.
  nanobind::object take();
  /// Whether it was one that must not be taken for a failure: SystemExit, GeneratorExit.
  bool must_pass() const { return must_pass_; }

 private:
  [[noreturn]] void translate(nanobind::python_error& error);

  std::mutex mutex_;
  PythonObject raised_;
  bool must_pass_ = false;
};

}  // namespace c2rl::python
