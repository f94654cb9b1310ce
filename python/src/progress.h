#pragma once

#include <chrono>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "c2rl/run/solve.h"

namespace c2rl::python {

/// Tells a Python object how a solve goes (c2rl/_progress.py), keeps what is to be known of every call, and looks out for
/// Ctrl-C, which stops the solve with what it has.
class PythonListener final : public SolveListener {
 public:
  /// With the interpreter's lock held, and so to be destroyed.
  explicit PythonListener(nanobind::object listener) : listener_(std::move(listener)) {}

  bool oracle_progress(int call, double part) override;
  void failed(int call, const std::string& reason) override;
  bool call_finished(const CallRecord& record) override;
  bool drawing(int confirmation, double part) override;
  void call_recalled(const CallRecord& record) override;
  void noticed(const std::string& what) override;
  bool checking() override;

  /// What the object raised, other than for Ctrl-C, is raised again.
  void rethrow();

  void drawn(const DrawRecord& record) override { records_.emplace_back(record); }

  /// Of every call, a JSON object.
  std::vector<std::string>& history() { return history_; }
  /// All that a run directory's record holds.
  std::vector<RunRecord>& records() { return records_; }
  /// Those of the latest mixture that were found now.
  std::map<int, PolicyPtr>& policies() { return policies_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Whether it is time to look again; a look costs the interpreter's lock.
  bool is_due();
  /// Calls a method of the object; false asks to stop.
  template <typename... Arguments>
  bool tell(const char* method, const Arguments&... arguments);
  void keep(const CallRecord& record);

  nanobind::object listener_;
  std::vector<std::string> history_;
  std::vector<RunRecord> records_;
  std::map<int, PolicyPtr> policies_;
  Clock::time_point looked_ = {};
  bool stopped_ = false;
  std::exception_ptr raised_;
};

}  // namespace c2rl::python
