// The same for the test programs.
#pragma once

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "precompiled.h"
