#include "progress.h"

#include <algorithm>

#include <nanobind/stl/string.h>

#include "c2rl/base/json.h"
#include "c2rl/run/record_json.h"

namespace nb = nanobind;

namespace c2rl::python {

bool PythonListener::is_due() {
  constexpr std::chrono::milliseconds kPause(50);
  const auto now = Clock::now();
  if (now - looked_ < kPause) return false;
  looked_ = now;
  return true;
}

template <typename... Arguments>
bool PythonListener::tell(const char* method, const Arguments&... arguments) {
  if (stopped_) return false;
  const nb::gil_scoped_acquire lock;
  try {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    const nb::object go_on = listener_.attr(method)(arguments...);
    stopped_ = go_on.is(nb::handle(Py_False));
  } catch (nb::python_error& error) {
    stopped_ = true;
    if (!error.matches(PyExc_KeyboardInterrupt)) raised_ = std::current_exception();
  }
  return !stopped_;
}

void PythonListener::keep(const CallRecord& record) {
  CallRecord kept = record;
  kept.policy = nullptr;
  kept.mixture = {};
  records_.emplace_back(std::move(kept));
  history_.push_back(to_text(to_json(records_.back())));
  if (record.policy) policies_[record.call] = record.policy;
  const std::vector<int>& members = record.mixture.ids;
  std::erase_if(policies_,
                [&](const auto& entry) { return std::ranges::find(members, entry.first) == members.end(); });
}

bool PythonListener::oracle_progress(int call, double part) {
  return !is_due() ? !stopped_ : tell("oracle_progress", call, part);
}

bool PythonListener::drawing(int confirmation, double part) {
  return !is_due() ? !stopped_ : tell("drawing", confirmation, part);
}

bool PythonListener::checking() {
  return !is_due() ? !stopped_ : tell("checking");
}

bool PythonListener::call_finished(const CallRecord& record) {
  keep(record);
  looked_ = Clock::now();
  return tell("call_finished", history_.back());
}

void PythonListener::call_recalled(const CallRecord& record) {
  keep(record);
}

void PythonListener::failed(int call, const std::string& reason) {
  tell("failed", call, reason);
}

void PythonListener::noticed(const std::string& what) {
  tell("noticed", what);
}

void PythonListener::rethrow() {
  if (raised_) std::rethrow_exception(raised_);
}

}  // namespace c2rl::python
