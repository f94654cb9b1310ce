#include "c2rl/solve/certificate.h"

namespace c2rl {

std::string to_string(Grade grade) {
  return grade == Grade::proof ? "proof" : "evidence";
}

}  // namespace c2rl
