#include "c2rl/base/error.h"
#include "c2rl/geometry/set_kinds.h"

namespace c2rl {
namespace {

struct PythonSetOptions {
  std::string object;

  void visit(OptionVisitor& visitor) { visitor.text("object", object, "what it is, in the program's words"); }
};

}  // namespace

/// A set of a Python program, which brings what projects on it. It stands in problem files so that nobody takes the rest of the
/// target for all of it.
SetKind python_set_kind() {
  return set_kind<PythonSetOptions>(
      "python", "a set of a Python program", [](const PythonSetOptions&, int) -> SetPtr {
        throw InputError({.field = "kind"}, "is python: only the program that has the set can project on it");
      });
}

}  // namespace c2rl
