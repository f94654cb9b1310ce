// The functions of toml++, for the files that read its header alone.
#include "c2rl/base/toml_limits.h"

#define TOML_MAX_NESTED_VALUES c2rl::kMostTomlNesting
// Of what a table's name begins with, its parser asserts what it tests a few lines below: "[*]" is bad input.
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_IMPLEMENTATION
#include "c2rl/base/toml_document.h"
