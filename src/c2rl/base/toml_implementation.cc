// The functions of toml++, for the files that read its header alone.
#include "c2rl/base/toml_limits.h"

#define TOML_MAX_NESTED_VALUES c2rl::kMostTomlNesting
#define TOML_IMPLEMENTATION
#include "c2rl/base/toml_document.h"
