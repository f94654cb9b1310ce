#pragma once

#include <stdexcept>
#include <string>

namespace c2rl {

/// Where in the user's input something is wrong. Empty or zero parts are left out of the message.
struct Place {
  std::string file = {};
  int line = 0;    // from 1
  int column = 0;  // from 1
  std::string field = {};
};

/// "points.csv:3:2: risk: " for as much of a place as is known.
std::string to_string(const Place& place);

/// The user gave something that cannot be used. The message says where, what was found and what was expected.
/// The command line turns this into exit status 2; anything else that is thrown is a defect of ours.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(const Place& place, const std::string& message)
      : std::runtime_error(to_string(place) + message) {}
};

}  // namespace c2rl
