#include "errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "c2rl/oracle/oracle.h"

namespace nb = nanobind;

namespace c2rl::python {
namespace {

/// The exceptions are classes of the package, c2rl/_errors.py.
nb::object error_class(const char* name) {
  return nb::module_::import_("c2rl._errors").attr(name);
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    const Place& place = error.place();
    nb::object raised =
        error_class("InputError")(error.what(), place.file, place.line, place.column, place.field);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  } catch (const OracleInterrupted&) {
    PyErr_SetString(error_class("Interrupted").ptr(), "asked to stop");
  } catch (const OracleFailed& error) {
    PyErr_SetString(error_class("OracleError").ptr(), error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& /*module*/) {
  nb::register_exception_translator(translate);
}

}  // namespace c2rl::python
