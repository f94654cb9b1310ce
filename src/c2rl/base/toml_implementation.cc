// The functions of toml++, for the files that read its header alone.
#define TOML_IMPLEMENTATION
#include "c2rl/base/toml_document.h"
