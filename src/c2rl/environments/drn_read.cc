#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/ranks.h"
#include "c2rl/environments/drn.h"
#include "c2rl/environments/drn_piece.h"
#include "c2rl/mdp/model_builder.h"
#include "c2rl/mdp/parallel.h"

namespace c2rl {
namespace {

/// What is wrong when all states are read, if anything is.
std::string fault(const DrnHeader& header, int states, int choices, bool has_start) {
  if (states != header.states)
    return fmt::format("found {} states, expected {} as @nr_states says", states, header.states);
  if (header.choices && *header.choices != choices)
    return fmt::format("found {} actions, expected {} as @nr_choices says", choices, *header.choices);
  return has_start ? "" : "no state has the label 'init'";
}

/// At about these many places of the text where a state begins.
std::vector<std::string_view> stretches(std::string_view text, int count) {
  constexpr std::string_view kState = "\nstate ";
  std::vector<std::string_view> result;
  std::size_t begin = 0;
  for (int i = 1; i <= count; ++i) {
    const std::size_t from = static_cast<std::size_t>(part_begin(std::ssize(text), i, count));
    std::size_t end = text.size();
    if (i < count) {
      const std::size_t found = text.find(kState, std::max(begin, from));
      if (found != std::string_view::npos) end = found + 1;
    }
    result.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

/// Pieces, one after the other, as one. False where they are no whole model: then somebody should say why.
bool assemble(std::vector<DrnPiece>& pieces, const DrnHeader& header, DrnPiece& whole) {
  std::int64_t states = 0, choices = 0, transitions = 0, found = 0;
  bool has_start = false;
  for (const DrnPiece& piece : pieces) {
    if (piece.states.states > 0 && piece.first != states) return false;
    states += piece.states.states;
    choices += piece.states.choices();
    transitions += piece.states.transitions();
    found += piece.choices;
    has_start = has_start || !piece.starts.empty();
  }
  const double numbers =
      static_cast<double>(transitions) * (1 + static_cast<double>(header.reward_models.size()));
  if (numbers > kMostModelNumbers || found > std::numeric_limits<int>::max() ||
      !fault(header, static_cast<int>(states), static_cast<int>(found), has_start).empty())
    return false;
  TabularModel& model = whole.states;
  model.states = static_cast<int>(states);
  model.measurements = header.reward_models;
  model.choice_begin.resize(static_cast<std::size_t>(states) + 1);
  model.transition_begin.resize(static_cast<std::size_t>(choices) + 1);
  model.next.resize(static_cast<std::size_t>(transitions));
  model.probability.resize(static_cast<std::size_t>(transitions));
  model.measurement.resize(model.dim(), transitions);
  struct Place {
    std::int32_t state = 0, choice = 0, transition = 0;
  };
  std::vector<Place> places(1);  // where a piece begins
  for (const DrnPiece& piece : pieces) {
    const Place& at = places.back();
    places.push_back({at.state + piece.states.states, at.choice + piece.states.choices(),
                      at.transition + piece.states.transitions()});
  }
  for_each_parallel(static_cast<int>(pieces.size()), [&](int i) {
    const Place at = places[i];
    const TabularModel part = std::move(pieces[i].states);  // so that there is never much more than one of it
    for (int s = 1; s <= part.states; ++s)
      model.choice_begin[at.state + s] = at.choice + part.choice_begin[s];
    for (int k = 1; k <= part.choices(); ++k)
      model.transition_begin[at.choice + k] = at.transition + part.transition_begin[k];
    std::ranges::copy(part.next, model.next.begin() + at.transition);
    std::ranges::copy(part.probability, model.probability.begin() + at.transition);
    model.measurement.middleCols(at.transition, part.transitions()) = part.measurement;
  });
  for (const DrnPiece& piece : pieces) {
    for (const auto& [name, labelled] : piece.labels) {
      std::vector<int>& all = whole.labels[name];
      all.insert(all.end(), labelled.begin(), labelled.end());
    }
    whole.starts.insert(whole.starts.end(), piece.starts.begin(), piece.starts.end());
  }
  return true;
}

/// By all cores, where the text is long. False where anything is wrong with it.
bool read_pieces(const DrnLines& lines, const ModelEnds& ends, const DrnHeader& header, DrnPiece& whole) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  const int count = static_cast<int>(std::min<std::size_t>(lines.rest().size() / kPiece, 1 << 14));
  if (count < 2) return false;
  const std::vector<std::string_view> texts = stretches(lines.rest(), count);
  std::vector<DrnPiece> pieces(texts.size());
  try {
    for_each_parallel(count, [&](int i) {
      DrnLines own(texts[i], lines.file());
      pieces[i] = read_drn_piece(own, ends, header, std::nullopt);
    });
    return assemble(pieces, header, whole);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

TabularModel parse_drn(std::string_view text, const std::string& file, const ModelEnds& ends,
                       StateLabels* labels) {
  DrnLines lines(text, file);
  const DrnHeader header = read_drn_header(lines);
  check_measurements(header.reward_models, ends, {.file = file, .line = lines.number()});
  DrnPiece whole;
  if (!read_pieces(lines, ends, header, whole)) {
    // From the beginning to what is wrong, if anything is.
    whole = read_drn_piece(lines, ends, header, 0);
    const std::string wrong = fault(header, whole.states.states, whole.choices, !whole.starts.empty());
    if (!wrong.empty()) lines.fail(wrong);
  }
  TabularModel& model = whole.states;
  const std::vector<int>& labelled = states_labelled(whole.labels, ends.terminal_label, file);
  model.start = Vector::Zero(model.states);
  for (const int state : whole.starts) model.start[state] = 1.0 / static_cast<double>(whole.starts.size());
  if (ends.reached) measure_reached(model, labelled);
  whole.labels.erase("init");
  if (labels) *labels = std::move(whole.labels);
  return std::move(model);
}

ModelFileShape drn_shape(std::string_view text, const std::string& file) {
  DrnLines lines(text, file);
  const DrnHeader header = read_drn_header(lines);
  return {.states = header.states, .measurements = header.reward_models};
}

ModelPart parse_drn_part(std::string_view text, const std::string& file, const ModelEnds& ends, int index,
                         int of) {
  DrnLines lines(text, file);
  const DrnHeader header = read_drn_header(lines);
  const std::string_view stretch = stretches(lines.rest(), of)[index];
  DrnLines own(stretch, file);
  DrnPiece piece;
  try {
    piece = read_drn_piece(own, ends, header, index == 0 ? std::optional(0) : std::nullopt);
  } catch (const InputError& error) {
    // Lines are counted from the beginning of the file.
    const auto before = std::count(text.data(), stretch.data(), '\n');
    Place place = error.place();
    if (place.line > 0) place.line += static_cast<int>(before);
    throw InputError(place, error.message());
  }
  if (piece.states.states == 0) {
    // None of them, before the state that comes next, if one does.
    std::string_view after(stretch.data() + stretch.size(), text.data() + text.size());
    take_word(after);
    std::string_view number = after.substr(0, after.find('\n'));
    piece.first = parse_index(take_word(number)).value_or(header.states);
  }
  piece.states.start = Vector::Zero(piece.states.states);
  for (const int state : piece.starts) piece.states.start[state - piece.first] = 1;
  ModelPart part = part_of(piece.states, piece.first, header.states);
  part.equal = true;
  return part;
}

}  // namespace c2rl
