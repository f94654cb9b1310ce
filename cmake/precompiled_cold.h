// The same for rooms that are not optimised, which also read and write JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "precompiled.h"
