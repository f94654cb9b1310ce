#include "c2rl/oracle/conversation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"

namespace c2rl {
namespace {

constexpr std::int64_t kProtocol = 1;

/// The beginning of a line that may be anything.
std::string quoted(const std::string& line) {
  constexpr std::size_t kLongest = 80;
  std::string text = line.substr(0, kLongest);
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + text + (line.size() > kLongest ? "...'" : "'");
}

}  // namespace

Conversation::Conversation(const SubprocessOptions& options, const std::vector<std::string>& measurements,
                           const Pulse& listener)
    : program_(options) {
  const Json json = receive(listener);
  const JsonObject greeting(json);
  if (const std::int64_t protocol = greeting.integer("protocol"); protocol != kProtocol)
    program_.fail(fmt::format("speaks protocol {}, expected {}", protocol, kProtocol));
  if (const auto found = greeting.texts("measurements"); found != measurements) {
    program_.fail(fmt::format("measures {}, expected {} as environment.measurements says", join(found, ", "),
                              join(measurements, ", ")));
  }
  if (greeting.has("evaluates")) evaluates_ = greeting.boolean("evaluates");
}

Json Conversation::receive(const Pulse& listener) {
  const std::string line = program_.receive(listener);
  try {
    Json json = parse_json(line);
    if (json.is_object()) return json;
  } catch (const InputError&) {  // said below
  }
  program_.fail(fmt::format("wrote {}, expected a JSON object", quoted(line)));
}

Json Conversation::ask(Json question, const Progress& progress) {
  question["id"] = ++asked_;
  double part = 0;
  const Pulse waiting = [&] { pulse(progress, part); };
  program_.send(to_text(question), waiting);
  while (true) {
    Json json = receive(waiting);
    const JsonObject answer(json);
    if (const std::int64_t id = answer.integer("id"); id != asked_)
      program_.fail(fmt::format("answered question {}, expected {}", id, asked_));
    if (answer.has("error")) program_.fail("says: " + answer.text("error"));
    if (!answer.has("progress")) return json;
    const double said = answer.number("progress");
    if (!(said >= 0 && said <= 1))
      program_.fail(fmt::format("says that its progress is {}, expected a number from 0 to 1", said));
    part = std::max(part, said);
    waiting();
  }
}

}  // namespace c2rl
