#include "callbacks.h"

#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace c2rl::python {

void Failure::translate(nb::python_error& error) {
  if (error.matches(PyExc_KeyboardInterrupt)) throw OracleInterrupted();
  const nb::object value = nb::borrow(error.value());
  const std::string type = nb::cast<std::string>(error.type().attr("__name__"));
  const std::string text = nb::cast<std::string>(nb::str(value));
  {
    const std::lock_guard lock(mutex_);
    raised_ = PythonObject(value);
    must_pass_ = !error.matches(PyExc_Exception);
  }
  if (must_pass_) throw OracleInterrupted();
  throw OracleFailed(text.empty() ? type : type + ": " + text);
}

nb::object Failure::take() {
  PythonObject taken;
  {
    const std::lock_guard lock(mutex_);
    std::swap(taken, raised_);
  }
  return taken ? taken.get() : nb::none();
}

}  // namespace c2rl::python
