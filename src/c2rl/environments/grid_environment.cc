#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "c2rl/base/text.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/grid.h"

namespace c2rl {
namespace {

/// Amounts by measurement, as a table of the problem file gives them.
using Amounts = std::vector<std::pair<std::string, double>>;

/// What the legend says about a character.
struct Entry {
  bool blocked = false;
  bool terminal = false;
  bool start = false;
  Amounts amounts = {};
};

const std::vector<std::string> kFlags = {"blocked", "terminal", "start"};

Amounts read_amounts(const Config& section) {
  Amounts amounts = {};
  for (const std::string& key : section.keys()) {
    if (std::find(kFlags.begin(), kFlags.end(), key) != kFlags.end()) continue;
    amounts.emplace_back(key, section.number(key));
    section.expect(std::abs(amounts.back().second) < kInfinity, key, "a finite number");
  }
  return amounts;
}

Entry read_entry(const Config& legend, const std::string& character) {
  if (character.size() != 1 || character[0] <= ' ' || character[0] > '~') {
    legend.fail(character, "expected one visible ASCII character as key");
  }
  const Config section = legend.section(character);
  Entry entry;
  entry.amounts = read_amounts(section);
  entry.blocked = section.boolean("blocked", false);
  entry.terminal = section.boolean("terminal", character == "G");
  entry.start = section.boolean("start", character == "S");
  if (entry.blocked && (entry.terminal || entry.start || !entry.amounts.empty())) {
    legend.fail(character, "a blocked cell is never entered: it cannot be a start, terminal or measured");
  }
  if (entry.start && entry.terminal) legend.fail(character, "a start cannot be terminal");
  return entry;
}

std::map<char, Entry> read_legend(const Config& section) {
  std::map<char, Entry> legend = {{'.', {}}, {'S', {.start = true}}, {'G', {.terminal = true}}};
  const Config table = section.section("legend");
  for (const std::string& character : table.keys()) legend[character[0]] = read_entry(table, character);
  return legend;
}

/// Adds the amounts to the vector of measurements; a name that is not declared is an error.
Vector to_vector(const Amounts& amounts, const std::vector<std::string>& names, const Config& section) {
  Vector sum = Vector::Zero(std::ssize(names));
  for (const auto& [name, amount] : amounts) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) section.fail(name, unknown_name_message("measurement", name, names));
    sum[found - names.begin()] += amount;
  }
  return sum;
}

std::vector<std::string> all_names(const Amounts& step, const std::map<char, Entry>& legend) {
  std::vector<std::string> names;
  const auto add = [&](const Amounts& amounts) {
    for (const auto& [name, amount] : amounts) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  };
  add(step);
  for (const auto& [character, entry] : legend) add(entry.amounts);
  return names;
}

/// The declared names, by default all that are used. Each must be added to somewhere, or be `reached`: one
/// that is not is a slip of the pen.
std::vector<std::string> read_names(const Config& section, std::vector<std::string> used) {
  std::vector<std::string> names = section.text_list("measurements", used);
  used.emplace_back(kReached);
  section.expect(!names.empty(), "measurements", "at least one name");
  for (size_t i = 0; i < names.size(); ++i) {
    const auto here = names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(names.begin(), here, names[i]) != here) {
      section.fail("measurements", fmt::format("'{}' stands there twice", names[i]));
    }
    if (std::find(used.begin(), used.end(), names[i]) == used.end()) {
      const auto nearest = nearest_name(names[i], used);
      section.fail("measurements", fmt::format("nothing in step or legend adds to '{}'{}", names[i],
                                               nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
    }
  }
  return names;
}

/// Entering a goal measures 1: a 'G'; on a map without one, any terminal cell.
void measure_reached(const Config& section, std::map<char, Entry>& legend) {
  std::string goals;
  for (const Config::Line& row : section.lines("map")) {
    for (const char character : row.text) {
      const auto found = legend.find(character);
      if (found != legend.end() && found->second.terminal) goals += character;
    }
  }
  if (goals.empty())
    section.fail("measurements",
                 fmt::format("no cell of the map ends an episode, so that nothing is {}; expected "
                             "a 'G', or a legend entry with terminal = true",
                             kReached));
  if (goals.find('G') != goals.npos) goals = "G";
  for (auto& [character, entry] : legend) {
    if (goals.find(character) != goals.npos) entry.amounts.emplace_back(kReached, 1.0);
  }
}

std::map<char, GridCell> make_cells(const Config& section, const std::map<char, Entry>& legend,
                                    const std::vector<std::string>& names) {
  std::map<char, GridCell> cells;
  for (const auto& [character, entry] : legend) {
    const Config place = section.section("legend").section(std::string(1, character));
    cells[character] = {.blocked = entry.blocked,
                        .terminal = entry.terminal,
                        .start = entry.start,
                        .amount = to_vector(entry.amounts, names, place)};
  }
  return cells;
}

[[noreturn]] void fail_unknown_cell(const Config& section, const Config::Line& row, size_t column,
                                    const std::map<char, GridCell>& cell_of) {
  const char found = row.text[column];
  std::vector<std::string> known;
  known.reserve(cell_of.size());
  for (const auto& [character, cell] : cell_of) known.emplace_back(1, character);
  Place place = row.place;
  if (place.column > 0) place.column += static_cast<int>(column);
  const bool visible = found > ' ' && found <= '~';
  throw InputError(
      place, fmt::format("found {}, expected one of {}; {} can define others",
                         visible ? fmt::format("'{}'", found) : "white space or a character outside ASCII",
                         join(known, " "), section.place("legend").field));
}

void read_map(const Config& section, const std::map<char, GridCell>& cell_of, Grid& grid) {
  const std::vector<Config::Line> rows = section.lines("map");
  if (rows.empty()) section.fail("map", "the map is empty");
  grid.columns = static_cast<int>(rows.front().text.size());
  for (const Config::Line& row : rows) {
    for (size_t column = 0; column < row.text.size(); ++column) {
      const auto found = cell_of.find(row.text[column]);
      if (found == cell_of.end()) fail_unknown_cell(section, row, column, cell_of);
      grid.cells.push_back(found->second);
    }
    if (std::ssize(row.text) != grid.columns) {
      throw InputError(row.place, fmt::format("found a row of {} cells, expected {} as in the first row",
                                              row.text.size(), grid.columns));
    }
  }
  if (std::none_of(grid.cells.begin(), grid.cells.end(), [](const GridCell& cell) { return cell.start; })) {
    section.fail("map", "no cell is a start; expected an 'S', or a legend entry with start = true");
  }
}

struct GridOptions {
  double slip = 0;
  Episode episode;

  void visit(OptionVisitor& visitor) {
    visitor.described("map", "a text of several lines", "",
                      "one character a cell: '.' nothing, 'S' start, 'G' goal, and what the legend adds");
    visitor.described(
        "measurements", "a list of texts", "all that step and legend name",
        "what is measured, in this order; \"reached\" need not be in step or legend: 1 when the "
        "episode arrives at a 'G', or on a map without one in any terminal cell");
    visitor.described("step", "a table of amounts by measurement", "steps = 1", "added at every step");
    visitor.described("legend", "a table of characters", "none besides '.', 'S' and 'G'",
                      "what cells with a character do: blocked, terminal, start, and amounts by measurement "
                      "that are added on entering: \"#\" = { risk = 1 }");
    visitor.number("slip", slip, part(), kSlipReason);
    episode.visit(visitor);
  }
};

World make_grid(const Config& section, const GridOptions& options) {
  std::map<char, Entry> legend = read_legend(section);
  const bool has_step = section.has("step");
  const Config step_section = section.section("step");
  Amounts step = has_step ? read_amounts(step_section) : Amounts{{"steps", 1.0}};

  Grid grid;
  const std::vector<std::string> used = all_names(step, legend);
  grid.measurements = read_names(section, used);
  const auto& names = grid.measurements;
  const auto is_in = [](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), kReached) != list.end();
  };
  if (is_in(names) && !is_in(used)) measure_reached(section, legend);
  // Steps that are only counted by default need not be declared.
  if (!has_step && std::find(names.begin(), names.end(), "steps") == names.end()) step.clear();
  grid.step = to_vector(step, names, step_section);
  grid.slip = options.slip;
  read_map(section, make_cells(section, legend, names), grid);
  TabularModel model = grid_model(grid);
  options.episode.apply_to(model);
  World world = make_world(section, std::move(model));
  // Blocked cells have no choices either, but are no goals.
  world.has_goal =
      std::any_of(grid.cells.begin(), grid.cells.end(), [](const GridCell& cell) { return cell.terminal; });
  return world;
}

WorldMap drawn_map(const Config& section) {
  WorldMap map;
  for (const Config::Line& row : section.lines("map")) {
    map.columns = static_cast<int>(row.text.size());
    for (const char mark : row.text) map.marks.push_back(mark == '.' ? "" : std::string(1, mark));
  }
  return map;
}

}  // namespace

/// A grid world drawn as text; see Grid for the moves. Several starts are equally likely.
EnvironmentKind grid_kind() {
  return {{"grid", "a grid world drawn as text, with amounts measured per cell entered",
           list_options<GridOptions>()},
          /*has_model=*/true,
          [](const Config& section) { return make_grid(section, read_options<GridOptions>(section)); },
          /*can_be_acted_in=*/true,
          drawn_map};
}

}  // namespace c2rl
