#pragma once

#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

namespace c2rl::python {

/// A Python object that C++ holds, on whatever thread: it may be let go of without the interpreter's lock.
class PythonObject {
 public:
  PythonObject() = default;
  /// With the lock held.
  explicit PythonObject(nanobind::object object)
      : object_(new nanobind::object(std::move(object)), [](nanobind::object* held) {
          // At the very end there is no interpreter to return it to.
          if (!Py_IsInitialized()) return;
          const nanobind::gil_scoped_acquire lock;
          delete held;
        }) {}

  explicit operator bool() const { return object_ != nullptr; }
  /// With the lock held.
  const nanobind::object& get() const { return *object_; }

 private:
  std::shared_ptr<nanobind::object> object_;
};

}  // namespace c2rl::python
