#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "c2rl/base/config.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/environments/environment_kinds.h"
#include "c2rl/environments/umb.h"
#include "c2rl/offline/dataset.h"
#include "c2rl/oracle/policy_kinds.h"
#include "expect.h"
#include "targets.h"

namespace c2rl {
namespace {

bool same(const Safetensors& a, const Safetensors& b) {
  const auto equal = [](const Tensor& x, const Tensor& y) {
    return x.name == y.name && x.type == y.type && x.shape == y.shape && x.bytes == y.bytes;
  };
  return a.metadata == b.metadata &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), equal);
}

Safetensors written(const Policy& policy) {
  Safetensors content{policy.metadata(), policy.arrays()};
  content.metadata["kind"] = policy.kind();
  return content;
}

/// The distribution wherever an action is taken, early and late.
void expect_distributions(const Policy& policy, const World& world) {
  const auto environment = world.environment(1);
  const Eigen::MatrixXf features = Eigen::MatrixXf::Constant(std::max(world.features, 1), 1, 0.25F);
  Matrix probabilities(world.actions, 1);
  for (int state = 0; state < std::max(world.states, 1); ++state) {
    const int actions = environment->action_count(state);
    if (actions == 0) continue;
    const std::vector<int> indices = {state};
    for (const int step : {0, 3, 1'000'000}) {
      policy.action_probabilities(world.features > 0 ? Observations(features) : Observations(indices), step,
                                  probabilities);
      expect(probabilities.allFinite() && probabilities.minCoeff() >= 0, "probabilities");
      expect(std::abs(probabilities.col(0).head(actions).sum() - 1) < 1e-6, "probabilities that sum to 1");
    }
  }
}

/// What is done where actions are real numbers.
void expect_controls(const Policy& policy, const World& world) {
  const Eigen::MatrixXf features = Eigen::MatrixXf::Constant(world.features, 1, 0.25F);
  Rng rng(1);
  Rng* const stream = &rng;
  ActionBatch actions(world, 1);
  policy.act(Observations(features), 0, std::span(&stream, 1), actions);
  expect(actions.values.allFinite(), "finite controls");
}

World world_of(const char* environment) {
  return make_world(Config::parse(environment, "fuzz").section("environment"));
}

/// The checksum that a dataset carries, bit by bit.
std::string crc32(const std::vector<Tensor>& tensors) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const Tensor& tensor : tensors) {
    for (const std::byte byte : tensor.bytes) {
      crc ^= std::to_integer<std::uint32_t>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
    }
  }
  return fmt::format("{:08x}", ~crc);
}

}  // namespace

int fuzz_safetensors(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    const Safetensors content = parse_safetensors(text_of(bytes, size), "fuzz");
    const Safetensors again = read_again([&] { return parse_safetensors(to_bytes(content), "again"); });
    expect(same(again, content), "the same tensors again");
  });
}

int fuzz_policy(const std::uint8_t* bytes, std::size_t size) {
  static const World kWorlds[] = {
      world_of("[environment]\nkind = \"grid\"\nmap = \"S.\\n.G\"\nhorizon = 9\n"),
      world_of("[environment]\nkind = \"cart-pole\"\nhorizon = 9\n"),
      world_of("[environment]\nkind = \"pendulum\"\nhorizon = 9\n"),
  };
  int status = -1;
  for (const World& world : kWorlds) {
    const int read = refused_or([&] {
      const PolicyPtr policy = policy_from(parse_safetensors(text_of(bytes, size), "fuzz"), world, "fuzz");
      world.controls > 0 ? expect_controls(*policy, world) : expect_distributions(*policy, world);
      const Safetensors content = written(*policy);
      const PolicyPtr again = read_again([&] { return policy_from(content, world, "again"); });
      expect(same(written(*again), content), "the same policy again");
    });
    status = std::max(status, read);
  }
  return status;
}

int fuzz_dataset(const std::uint8_t* bytes, std::size_t size) {
  return refused_or([&] {
    Safetensors content = parse_safetensors(text_of(bytes, size), "fuzz");
    content.metadata["crc32"] = crc32(content.tensors);
    const Safetensors written = to_safetensors(dataset_from(content, "fuzz"));
    const Dataset again = read_again([&] { return dataset_from(written, "again"); });
    expect(same(to_safetensors(again), written), "the same dataset again");
  });
}

/// Checksums of the archive's headers are filled in: hardly any change would get past them.
int fuzz_umb(const std::uint8_t* bytes, std::size_t size) {
  std::string archive(text_of(bytes, size));
  constexpr std::size_t kBlock = 512, kSum = 148, kSumSize = 8;
  for (std::size_t at = 0; at + kBlock <= archive.size(); at += kBlock) {
    if (archive.compare(at + 257, 5, "ustar") != 0) continue;
    archive.replace(at + kSum, kSumSize, kSumSize, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<unsigned char>(archive[at + i]);
    archive.replace(at + kSum, kSumSize, fmt::format("{:06o}", sum) + std::string(1, '\0') + " ");
  }
  return refused_or([&] {
    TabularModel model = parse_umb(archive, "fuzz.umb", {.reached = true});
    model.horizon = 10;
    validate(model);
    const std::string written = to_umb(model);
    const TabularModel again = read_again([&] { return parse_umb(written, "again.umb"); });
    expect(to_umb(again) == written, "the same model again");
  });
}

}  // namespace c2rl
