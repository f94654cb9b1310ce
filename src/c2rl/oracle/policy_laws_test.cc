// What holds for every kind of policy; see expect_policy_laws.

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "c2rl/base/error.h"
#include "c2rl/mdp/controls_testing.h"
#include "c2rl/mdp/models_testing.h"
#include "c2rl/mdp/policies_testing.h"
#include "c2rl/mdp/policy_laws_testing.h"
#include "c2rl/oracle/gaussian_policy.h"
#include "c2rl/oracle/network_policy.h"
#include "c2rl/oracle/object_policy.h"
#include "c2rl/oracle/one_hot_testing.h"
#include "c2rl/oracle/policy_kinds.h"
#include "c2rl/oracle/token_policy.h"

namespace c2rl {
namespace {

struct Sample {
  World world;
  PolicyPtr policy;
  /// Where networks see features, the size of a batch decides the order of their sums, in single precision.
  double batch_rounding = 0;
};

Sample network_sample(const World& world, Execution execution, double batch_rounding = 0) {
  NetworkShape shape{.inputs = world.features > 0 ? world.features : world.states,
                     .indexed = world.features == 0,
                     .trunk = {8}};
  shape.heads = {{.name = "policy", .outputs = world.actions}, {.name = "value", .outputs = 1}};
  auto network = std::make_shared<Network>(shape, 1);
  network->initialize(Initialization::orthogonal, Rng(7));
  return {world, std::make_shared<NetworkPolicy>(network, "policy", execution, ActionCounts(world)),
          batch_rounding};
}

Sample gaussian_sample(Execution execution, bool squashed, bool own_spreads) {
  const World world = plane_world();
  NetworkShape shape{.inputs = world.features, .trunk = {8}};
  shape.heads = {{.name = GaussianPolicy::kMeanHead, .outputs = world.controls}};
  if (!own_spreads) shape.heads.push_back({.name = GaussianPolicy::kSpreadHead, .outputs = world.controls});
  auto network = std::make_shared<Network>(shape, 1);
  network->initialize(Initialization::orthogonal, Rng(7));
  const Eigen::VectorXf spreads = Eigen::VectorXf::Constant(own_spreads ? world.controls : 0, -0.5f);
  return {world, std::make_shared<GaussianPolicy>(network, spreads, squashed, execution), 1e-5};
}

/// By kind.
std::multimap<std::string, Sample> samples() {
  const auto garnet =
      std::make_shared<const TabularModel>(garnet_model({.states = 15, .horizon = 8}, Rng(1)));
  const auto grid = std::make_shared<const TabularModel>(navigation_model());
  const World indexed = make_world(garnet), shown = one_hot_world(grid);
  return {
      {"tabular", {indexed, random_policy(*garnet, Rng(2))}},
      {"tabular", {indexed, restless_policy(*garnet, Rng(2))}},
      {"network", network_sample(indexed, Execution::stochastic)},
      {"network", network_sample(indexed, Execution::greedy)},
      {"network", network_sample(shown, Execution::stochastic, 1e-6)},
      {"network", network_sample(shown, Execution::greedy)},
      {"gaussian", gaussian_sample(Execution::stochastic, false, true)},
      {"gaussian", gaussian_sample(Execution::stochastic, true, false)},
      {"gaussian", gaussian_sample(Execution::greedy, true, true)},
  };
}

TEST(EveryPolicy, KeepsTheLaws) {
  const auto all = samples();
  for (const PolicyKind* kind : policy_kinds().all()) {
    if (kind->name == TokenPolicy::kKind || kind->name == ObjectPolicy::kKind)
      continue;  // cannot be followed
    EXPECT_TRUE(all.contains(kind->name)) << kind->name << " has no sample";
    EXPECT_FALSE(kind->summary.empty()) << kind->name;
  }
  for (const auto& [name, sample] : all) {
    SCOPED_TRACE(name);
    EXPECT_EQ(sample.policy->kind(), name);
    expect_policy_laws(sample.world, sample.policy, policy_kinds().find(name).load, sample.batch_rounding);
  }
}

class PolicyFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  void expect_refused(const Safetensors& content, const std::string& message) const {
    write_safetensors(path_, content);
    try {
      load_policy(path_, samples().find("tabular")->second.world);
      ADD_FAILURE() << "was loaded; expected: " << message;
    } catch (const InputError& error) {
      EXPECT_EQ(error.place().file, path_);
      EXPECT_EQ(error.what(), path_ + ": " + message);
    }
  }

  const std::string path_ = testing::TempDir() + "c2rl_policy_file_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".safetensors";
};

TEST_F(PolicyFile, IsTheSamePolicy) {
  for (const auto& [name, sample] : samples()) {
    save_policy(path_, *sample.policy);
    const PolicyPtr loaded = load_policy(path_, sample.world);
    EXPECT_EQ(loaded->kind(), name);
    EXPECT_EQ(loaded->metadata(), sample.policy->metadata());
    ASSERT_EQ(loaded->arrays().size(), sample.policy->arrays().size());
    for (std::size_t i = 0; i < loaded->arrays().size(); ++i)
      EXPECT_EQ(loaded->arrays()[i].bytes, sample.policy->arrays()[i].bytes);
  }
}

TEST_F(PolicyFile, KeepsTokens) {
  const std::string token = "run 7: weights-0.bin {\"layers\": 3}";
  save_policy(path_, TokenPolicy(token));
  const PolicyPtr loaded = load_policy(path_, World{});
  EXPECT_EQ(dynamic_cast<const TokenPolicy&>(*loaded).token(), token);
  Matrix probabilities(2, 1);
  EXPECT_THROW(loaded->action_probabilities(std::vector<int>{0}, 0, probabilities), InputError);
  EXPECT_THROW(load_policy(path_, samples().find("tabular")->second.world), InputError);
}

struct SavedObject final : PolicyObject {
  std::string bytes() const override { return std::string("\0bytes", 6); }
  bool same_as(const PolicyObject& other) const override { return this == &other; }
};

TEST_F(PolicyFile, KeepsObjectsOfOtherPrograms) {
  const auto object = std::make_shared<const SavedObject>();
  const ObjectPolicy policy("call 7", object), twin("call 8", object),
      other("call 9", std::make_shared<const SavedObject>());
  EXPECT_TRUE(policy.same_as(twin));
  EXPECT_FALSE(policy.same_as(other));
  save_policy(path_, policy);
  const PolicyPtr loaded = load_policy(path_, World{});
  const auto& read = dynamic_cast<const ObjectPolicy&>(*loaded);
  EXPECT_EQ(read.name(), "call 7");
  EXPECT_EQ(read.bytes(), std::string("\0bytes", 6));
  EXPECT_EQ(read.object(), nullptr);
  read.make(object);
  EXPECT_TRUE(read.same_as(policy));
  Matrix probabilities(2, 1);
  EXPECT_THROW(loaded->action_probabilities(std::vector<int>{0}, 0, probabilities), InputError);
  EXPECT_THROW(load_policy(path_, samples().find("tabular")->second.world), InputError);
  expect_refused({{{"kind", "object"}}, {}}, "expected two arrays of bytes, name and object");
}

/// Policies of one network for two directions.
std::pair<PolicyPtr, PolicyPtr> siblings(const World& world) {
  const auto made = [&](float bias) {
    NetworkShape shape{.inputs = world.states, .indexed = true, .trunk = {8}};
    shape.heads = {{.name = "policy", .outputs = world.actions}};
    auto network = std::make_shared<Network>(shape, 1);
    network->initialize(Initialization::orthogonal, Rng(7));
    network->parameters().segment(Eigen::Index{8} * world.states, 8).setConstant(bias);
    return std::make_shared<NetworkPolicy>(
        network, "policy", Execution::greedy, ActionCounts(world),
        std::vector<std::string>{"trunk.0.weight", "policy.0.weight", "policy.0.bias"});
  };
  return {made(0.5f), made(-0.5f)};
}

TEST_F(PolicyFile, PoliciesShareWhatTheyHaveInCommon) {
  namespace fs = std::filesystem;
  const std::string folder = path_ + ".d";
  fs::remove_all(folder);
  fs::create_directory(folder);
  const World world = samples().find("tabular")->second.world;
  const auto [first, second] = siblings(world);
  const std::string one = folder + "/one.safetensors", two = folder + "/two.safetensors";
  save_policy_sharing(one, *first);
  const std::string name = shared_file_of(read_safetensors(one)), shared = folder + "/" + name;
  ASSERT_TRUE(is_shared_file(name));
  const auto written = fs::last_write_time(shared);
  save_policy_sharing(two, *second);
  EXPECT_EQ(shared_file_of(read_safetensors(two)), name);
  EXPECT_EQ(fs::last_write_time(shared), written);
  EXPECT_EQ(read_safetensors(one).tensors.size() + 3, first->arrays().size());
  for (const auto& [file, policy] : {std::pair(one, first), std::pair(two, second)}) {
    const PolicyPtr loaded = load_policy(file, world);
    EXPECT_EQ(bytes_of(*loaded), bytes_of(*policy));
    EXPECT_EQ(loaded->shared(), policy->shared());
    // By itself it is one whole file.
    save_policy(path_, *loaded);
    EXPECT_EQ(bytes_of(*load_policy(path_, world)), bytes_of(*policy));
  }
  // Damaged, it is written again; another in its place is noticed; a name leads nowhere else.
  fs::resize_file(shared, fs::file_size(shared) - 1);
  EXPECT_THROW(load_policy(one, world), InputError);
  save_policy_sharing(two, *second);
  EXPECT_NO_THROW(load_policy(one, world));
  write_safetensors(shared, {{}, {}});
  EXPECT_THROW(load_policy(one, world), InputError);
  fs::remove(shared);
  EXPECT_THROW(load_policy(one, world), InputError);
  for (const char* elsewhere :
       {"../one.safetensors", "one.safetensors", "shared-.safetensors", "/etc/passwd"}) {
    Safetensors content = read_safetensors(one);
    content.metadata["shared_file"] = elsewhere;
    EXPECT_THROW(with_shared(content, one), InputError) << elsewhere;
  }
  fs::remove_all(folder);
}

TEST_F(PolicyFile, RefusesTokensThatLeadElsewhere) {
  const auto message = [](const std::string& found) {
    return "token: found " + found +
           ", expected 1 to 1048576 printable ASCII characters, without slashes and not beginning with a dot";
  };
  const auto content = [](const std::string& token) {
    std::vector<std::byte> bytes;
    for (const char c : token) bytes.push_back(static_cast<std::byte>(c));
    return Safetensors{{{"kind", "token"}}, {{"token", "U8", {std::ssize(bytes)}, bytes}}};
  };
  expect_refused(content(""), message("none"));
  expect_refused(content("a/../../b"), message("a '/'"));
  expect_refused(content("a\\b"), message("a '\\'"));
  expect_refused(content(".."), message("a dot at the beginning"));
  expect_refused(content("a\nb"), message("a character of code 10"));
  expect_refused(content("\xC3\xA9"), message("a character of code 195"));
  expect_refused(content(std::string(TokenPolicy::kLongest + 1, 'x')), message("1048577 characters"));
  expect_refused({{{"kind", "token"}}, {}}, "token: expected one array of bytes, and nothing else");
}

TEST_F(PolicyFile, SaysWhatIsWrongAndWhere) {
  EXPECT_THROW(load_policy(path_, samples().find("tabular")->second.world), InputError);
  const auto tabular = samples().find("tabular")->second.policy;
  expect_refused({{}, tabular->arrays()}, "is no policy: its metadata name no kind");
  expect_refused({{{"kind", "tabulr"}}, tabular->arrays()},
                 "policy: unknown policy 'tabulr'; did you mean 'tabular'?");
  expect_refused({{{"kind", "tabular"}}, {}}, "policy: has no states");
  const std::vector<std::int32_t> few(3, 0), wild(15, 1 << 30);
  expect_refused({{{"kind", "tabular"}}, TabularPolicy::deterministic(few)->arrays()},
                 "policy: is for 3 states; expected 15, as the world has");
  expect_refused({{{"kind", "tabular"}}, TabularPolicy::deterministic(wild)->arrays()},
                 "policy: takes action 1073741824 in state 0, which has 2");
}

}  // namespace
}  // namespace c2rl
