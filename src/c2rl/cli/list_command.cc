#include <algorithm>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "c2rl/base/error.h"
#include "c2rl/base/text.h"
#include "c2rl/cli/commands.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/geometry/set_kinds.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/run/problem.h"
#include "c2rl/run/problem_keys.h"

namespace c2rl {
namespace {

/// One kind, as listings show it.
struct Listed {
  const KindInfo* kind;
  std::vector<std::string> traits;
  bool estimates;
};

/// Keys that kinds of a section have beside their own.
struct SharedKeys {
  std::string sharers;  // "All solvers"
  std::vector<OptionInfo> options;
  bool only_estimating = false;

  bool are_of(const Listed& listed) const { return listed.estimates || !only_estimating; }
};

/// All kinds that one key can name.
struct Section {
  std::string title;          // "Oracles"
  std::string key;            // "oracle.kind"
  bool has_standard = false;  // the first is taken where none is named
  std::vector<SharedKeys> shared = {};
  std::vector<Listed> kinds = {};
};

std::vector<std::string> trait_words(const SetKind& /*kind*/) {
  return {};
}
std::vector<std::string> trait_words(const PolicyKind& /*kind*/) {
  return {};
}

bool estimates(const KindInfo& /*kind*/) {
  return false;
}
bool estimates(const OracleKind& kind) {
  return !kind.exact;
}

template <typename Kind>
Section with_kinds(Section section, const Kinds<Kind>& kinds) {
  for (const Kind* kind : kinds.all()) section.kinds.push_back({kind, trait_words(*kind), estimates(*kind)});
  return section;
}

std::vector<Section> sections() {
  return {
      with_kinds({"Environments", "environment.kind"}, environment_kinds()),
      with_kinds({"Oracles",
                  "oracle.kind",
                  true,
                  {{"All oracles", list_options<OracleLimits>()},
                   {"All oracles that estimate", list_options<PatienceOptions>(), /*only_estimating=*/true}}},
                 oracle_kinds()),
      with_kinds({"Solvers", "solver.kind", true, {{"All solvers", list_options<SolverOptions>()}}},
                 solver_kinds()),
      with_kinds({"Sets", "target.set.kind"}, set_kinds()),
      with_kinds({"Policy files", "kind, in the metadata of the file"}, policy_kinds())};
}

bool is_standard(const Section& section, const Listed& listed) {
  return section.has_standard && listed.kind == section.kinds.front().kind;
}

std::string overview() {
  std::string text;
  for (const Section& section : sections()) {
    text += fmt::format("{} ({})\n", section.title, section.key);
    for (const Listed& listed : section.kinds)
      text += fmt::format("  {:20} {}{}\n", listed.kind->name, listed.kind->summary,
                          is_standard(section, listed) ? " (default)" : "");
    text += '\n';
  }
  return text + "c2rl list KIND shows what keys a kind has, with their defaults and reasons.\n";
}

/// Breaks a text into lines of a width, each after an indentation.
std::string wrapped(const std::string& text, int indent) {
  constexpr std::size_t kWidth = 100;
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string lines, line = margin;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (line.size() > margin.size() && line.size() + 1 + word.size() > kWidth) {
      lines += line + "\n";
      line = margin;
    }
    line += (line.size() > margin.size() ? " " : "") + word;
    begin = end + 1;
  }
  return lines + line + "\n";
}

std::string described(const std::vector<OptionInfo>& options) {
  std::string text;
  for (const OptionInfo& option : options) {
    text += fmt::format("\n  {}{}\n", option.key,
                        option.standard.empty() ? " (must be given)" : " = " + option.standard);
    text += wrapped(option.type, 6) + wrapped(option.reason, 6);
  }
  return text;
}

/// Everything of that name; it may stand for an oracle and for a solver.
std::string details(const std::string& name) {
  std::string text;
  std::vector<std::string> names;
  for (const Section& section : sections()) {
    for (const Listed& listed : section.kinds) {
      names.push_back(listed.kind->name);
      if (listed.kind->name != name) continue;
      text +=
          fmt::format("{}{} ({}): {}\n", text.empty() ? "" : "\n", name, section.key, listed.kind->summary);
      for (const std::string& trait : listed.traits) text += wrapped(trait, 2);
      text += described(listed.kind->options);
      for (const SharedKeys& keys : section.shared) {
        if (keys.are_of(listed)) text += described(keys.options);
      }
    }
  }
  if (text.empty()) throw InputError(unknown_name_message("kind", name, names));
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string markdown_table(const std::vector<OptionInfo>& options) {
  if (options.empty()) return "";
  std::string text = "\n| key | default | may be | |\n| --- | --- | --- | --- |\n";
  for (const OptionInfo& option : options) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", option.key,
                        option.standard.empty() ? "must be given" : markdown_cell(option.standard),
                        markdown_cell(option.type), markdown_cell(option.reason));
  }
  return text;
}

std::string markdown() {
  std::string text =
      "# Reference\n\n"
      "Everything that a problem file can say. Made by `make reference` (`c2rl list --markdown`) from what "
      "each kind says about itself; "
      "`c2rl list KIND` shows the same at the terminal.\n";
  for (const ProblemKeys& keys : problem_keys())
    text += fmt::format("\n## {} (`{}`)\n{}", keys.title, keys.section, markdown_table(keys.options));
  for (const Section& section : sections()) {
    text += fmt::format("\n## {} (`{}`)\n", section.title, section.key);
    for (const SharedKeys& keys : section.shared)
      text += fmt::format("\n{} have:\n{}", keys.sharers, markdown_table(keys.options));
    for (const Listed& listed : section.kinds) {
      text += fmt::format("\n### {}\n\n{}{}.\n", listed.kind->name, listed.kind->summary,
                          is_standard(section, listed) ? " (default)" : "");
      if (!listed.traits.empty()) text += '\n';
      for (const std::string& trait : listed.traits) text += fmt::format("- {}\n", trait);
      text += markdown_table(listed.kind->options);
    }
  }
  return text;
}

struct ListOptions {
  std::string kind;
  bool markdown = false;
};

int run_list(const ListOptions& options, const Console& console) {
  console.out << (options.markdown ? markdown() : options.kind.empty() ? overview() : details(options.kind));
  return 0;
}

}  // namespace

void describe_list(Command& command) {
  command.example(
      "Examples:\n  c2rl list\n  c2rl list a2c\n\n"
      "Without KIND, all that a problem file can name; with one, its keys, their defaults and why.");
  const auto options = std::make_shared<ListOptions>();
  command.optional_argument("KIND", options->kind, "of environment, oracle, solver, set or policy");
  command.flag("--markdown", options->markdown, "all kinds with all keys, as docs/reference.md has them");
  command.does([options](const Console& console) { return run_list(*options, console); });
}

}  // namespace c2rl
