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
  explicit InputError(const std::string& message) : InputError(Place{}, message) {}
  InputError(Place place, std::string message);

  const Place& place() const { return place_; }
  /// What is wrong, without the place.
  const std::string& message() const { return message_; }

  /// The same error for whoever knows more of where it happened: what the error says of its place stays, and
  /// `outer` fills in the rest.
  InputError within(const Place& outer) const;

 private:
  Place place_;
  std::string message_;
};

}  // namespace c2rl
