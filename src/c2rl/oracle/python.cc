#include <memory>

#include "c2rl/base/error.h"
#include "c2rl/oracle/oracle_kinds.h"

namespace c2rl {
namespace {

struct PythonOptions {
  std::string object;

  void visit(OptionVisitor& visitor) {
    visitor.text("object", object, "what it is, in the program's words: a run goes on with the same only");
  }
};

/// Stands for the object where the program that has it is not there (Provided::oracle).
class AbsentOracle final : public Oracle {
 public:
  explicit AbsentOracle(int dim) : dim_(dim) {}

  int dim() const override { return dim_; }
  bool goes_on() const override { return true; }
  EpisodeTotals draw(const Policy& /*policy*/, std::int64_t /*first*/, int /*count*/, const Rng& /*rng*/,
                     const Pulse& /*listener*/) const override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw InputError({.field = "oracle.kind"},
                     "is python: only the program that has the oracle can ask it, c2rl.solve and c2rl.verify "
                     "with oracle=...");
  }
  OracleAnswer answer(const OracleCall& /*call*/) const override { refuse(); }

  int dim_;
};

}  // namespace

OracleKind python_oracle_kind() {
  OracleKind kind;
  kind.name = "python";
  kind.summary = "an object of a Python program, in a world of its own";
  kind.options = list_options<PythonOptions>();
  kind.brings_world = true;
  kind.can_go_on = true;
  kind.make = [](const Config& section, const World& world, const OracleDefaults&) {
    read_options<PythonOptions>(section);
    return std::make_unique<AbsentOracle>(world.dim());
  };
  return kind;
}

}  // namespace c2rl
