#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "c2rl/geometry/check.h"
#include "c2rl/geometry/curved_intersection.h"
#include "c2rl/geometry/sets.h"

namespace c2rl {
namespace {

/// All members polyhedral: one polyhedron of all their faces.
SetPtr polyhedral_intersection(const std::vector<SetPtr>& members) {
  const int dim = members[0]->dim();
  Matrix normals(0, dim);
  Vector offsets(0);
  std::vector<int> owners;
  for (size_t k = 0; k < members.size(); ++k) {
    const Halfspaces faces = members[k]->halfspaces();
    const Eigen::Index before = offsets.size(), added = faces.offsets.size();
    normals.conservativeResize(before + added, dim);
    offsets.conservativeResize(before + added);
    normals.bottomRows(added) = faces.normals;
    offsets.tail(added) = faces.offsets;
    owners.insert(owners.end(), static_cast<size_t>(added), static_cast<int>(k));
  }
  if (offsets.size() == 0) return members[0];  // no face at all: the whole space
  try {
    return polyhedron(normals, Vector::Constant(offsets.size(), -kInfinity), offsets);
  } catch (const EmptySetError& error) {
    std::set<int> conflict;
    for (const int row : error.conflict) conflict.insert(owners[row]);
    throw EmptySetError(
        fmt::format("the intersection is empty: members {} share no point", fmt::join(conflict, ", ")),
        {conflict.begin(), conflict.end()});
  }
}

}  // namespace

SetPtr intersection(std::vector<SetPtr> members) {
  check(!members.empty(), "intersection", "at least one member");
  for (size_t k = 0; k < members.size(); ++k) {
    check_size(members[k]->dim(), members[0]->dim(), fmt::format("intersection member {}", k));
  }
  const auto polyhedral = [](const SetPtr& member) { return member->is_polyhedral(); };
  if (std::all_of(members.begin(), members.end(), polyhedral)) return polyhedral_intersection(members);
  return curved_intersection(std::move(members));
}

}  // namespace c2rl
