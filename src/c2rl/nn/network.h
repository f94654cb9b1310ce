#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "c2rl/base/enum_names.h"
#include "c2rl/base/random.h"
#include "c2rl/base/safetensors.h"
#include "c2rl/base/team.h"

namespace c2rl {

/// Of hidden layers; outputs are always linear.
enum class Activation { relu, tanh };
const EnumNames<Activation>& activation_names();

/// Of any layer; far beyond any use here.
inline constexpr int kWidestLayer = 1 << 13;

/// How weights are drawn; biases start at zero.
enum class Initialization {
  orthogonal,  // orthonormal rows or columns, uniformly distributed, times a gain
  he,          // independent normal entries of standard deviation gain / sqrt(inputs of the layer)
};

/// Hidden layers that all heads share, and behind them the heads: each its own hidden layers and a linear
/// output. An actor-critic is a trunk with a policy and a value head; a dueling network has no trunk.
struct NetworkShape {
  struct Head {
    std::string name;  // lower-case letters, digits and _; not "trunk"
    std::vector<int> hidden = {};
    int outputs = 1;

    bool operator==(const Head&) const = default;
  };

  /// Features of an input; where indexed, the number of different states.
  int inputs = 0;
  /// An input is the index of the one in a one-hot vector: the first layers look up a column.
  bool indexed = false;
  /// Numbers that are read beside every input, and are the same for all of a batch (set_common).
  int common = 0;
  std::vector<int> trunk = {};
  std::vector<Head> heads = {};
  Activation activation = Activation::relu;

  /// An InputError names what is out of its range. The ranges bound what a network of a file may claim.
  void validate() const;
  bool operator==(const NetworkShape&) const = default;
};

/// A feedforward network with its gradient, for batches of inputs up to a capacity. All memory is taken in
/// the constructor. Arguments of a wrong size are a std::invalid_argument. What a team computes together is the
/// same, bit for bit, as what one thread does alone.
template <typename Scalar>
class BasicNetwork {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  /// All parameters are zero. The shape is validated; the capacity is at least 1.
  BasicNetwork(NetworkShape shape, int capacity);

  /// The most parts that a pass of such a network is cut into for a team, with so many inputs.
  static int most_parts(const NetworkShape& shape, int inputs);

  const NetworkShape& shape() const { return shape_; }
  int capacity() const { return capacity_; }
  int parameter_count() const { return static_cast<int>(parameters_.size()); }

  /// Layer by layer, the trunk first: the weights, outputs x inputs by columns, then the biases; of layers that read
  /// the inputs, then the weights of what is common, outputs x common.
  Eigen::Map<const Vector> parameters() const { return {parameters_.data(), parameters_.size()}; }
  Eigen::Map<Vector> parameters() { return {parameters_.data(), parameters_.size()}; }
  /// In the same order.
  Eigen::Map<const Vector> gradient() const { return {gradient_.data(), gradient_.size()}; }
  Eigen::Map<Vector> gradient() { return {gradient_.data(), gradient_.size()}; }

  /// Hidden layers get the gain that keeps the size of signals, sqrt 2 for ReLU and 5/3 for tanh; outputs get
  /// `output_gain`. These gains are for inputs with entries of size 1. A one-hot vector has a single one, so
  /// that the column it selects is all that reaches the next layer: the columns of a layer that reads indices
  /// are scaled to entries of root mean square `gain`, which is an input count of 1 for He.
  void initialize(Initialization initialization, const Rng& rng, double output_gain = 1);

  /// What every input has in common from now on: weights times it are added to the biases of the layers that read the
  /// inputs.
  void set_common(const Eigen::Ref<const Vector>& common);
  /// The network that does the same and reads nothing beside its inputs: it has what is common in its biases.
  BasicNetwork without_common() const;

  /// Indices in [0, inputs), for an indexed network.
  void forward(std::span<const int> states, Team& team = Team::alone());
  /// A column per input, for a network of features. Kept for `backward`.
  void forward(const Eigen::Ref<const Matrix>& features, Team& team = Team::alone());
  /// Inputs of the last forward.
  int batch() const { return batch_; }

  /// Of the last forward: outputs x batch.
  Eigen::Map<const Matrix> output(int head) const;
  /// d loss / d output, to be filled before `backward`: outputs x batch.
  Eigen::Map<Matrix> output_gradient(int head);
  /// The gradient becomes that of the loss at the last forward.
  void backward(Team& team = Team::alone());
  /// Of a network of features, that by its inputs, and no other.
  void backward_to_inputs(Team& team = Team::alone());
  /// d loss / d input of the last `backward_to_inputs`: inputs x batch.
  Eigen::Map<const Matrix> input_gradient() const { return {input_deltas_.data(), shape_.inputs, batch_}; }

  /// From now on it is given (input - shift) / scale of what it was given before, and gives the same outputs: the
  /// layers that read features are changed to match.
  void change_inputs(const Eigen::Ref<const Vector>& shift, const Eigen::Ref<const Vector>& scale);
  /// From now on a head gives `factor` times what it gave, output by output.
  void scale_output(int head, const Eigen::Ref<const Vector>& factor);

  /// As PyTorch lays out nn.Linear: "<prefix>trunk.0.weight" [outputs, inputs], "<prefix>trunk.0.bias", and
  /// so on with the names of the heads; F32 or F64.
  std::vector<Tensor> tensors(const std::string& prefix = "") const;
  /// Takes the parameters from tensors so named; other networks may be among them, under another prefix. What
  /// does not fit is an InputError and changes nothing.
  void load(std::span<const Tensor> tensors, const std::string& prefix = "");

 private:
  /// Dense: outputs = activation(weights * inputs + biases).
  struct Layer {
    int source;  // the layer it reads; kInput for the input of the network
    int inputs;
    int outputs;
    bool hidden;
    Eigen::Index weights;  // where they begin among the parameters
    Eigen::Index biases;
    int common;     // numbers beside its inputs; their weights are behind the biases
    Vector sums;    // where there are such numbers: the biases with them
    Matrix values;  // outputs x capacity, after the activation
    Matrix deltas;  // d loss / d values; while backward is at the layer, before the activation
  };
  static constexpr int kInput = -1;

  /// Appends a layer and says which it is.
  int add_layer(int source, int outputs, bool hidden);
  bool reads_indices(const Layer& layer) const { return shape_.indexed && layer.source == kInput; }
  Eigen::Map<const Matrix> common_weights(const Layer& layer) const {
    return {parameters_.data() + layer.biases + layer.outputs, layer.outputs, layer.common};
  }
  /// Some columns of a matrix: of the batch or, of weights, by what they read.
  struct Columns {
    int begin, end;
    int count() const { return end - begin; }
  };
  /// What one thread does of a pass.
  struct Part {
    std::span<Layer> layers;
    Columns inputs;
    int piece;  // of so many that the batch is cut into
  };
  /// How a pass is cut: heads that share no layer are apart, and the batch is in pieces.
  struct Cut {
    int branches, pieces;
    int parts() const { return branches * pieces; }
  };
  Cut cut_for(const Team& team) const;
  Part part(Cut cut, int index);

  void forward(Team& team);
  void forward_layer(Layer& layer, Columns inputs);
  void backward(Team& team, bool by_parameters);
  void backward_layer(Layer& layer, Columns inputs);
  void sum_gradient(Layer& layer, int piece, int of);

  Eigen::Map<const Matrix> inputs_of(const Layer& layer) const;
  Eigen::Map<Matrix> deltas(Layer& layer) { return {layer.deltas.data(), layer.outputs, batch_}; }
  Eigen::Map<Matrix> weights_in(Vector& all, const Layer& layer) const {
    return {all.data() + layer.weights, layer.outputs, layer.inputs};
  }
  Eigen::Map<const Matrix> weights_in(const Vector& all, const Layer& layer) const {
    return {all.data() + layer.weights, layer.outputs, layer.inputs};
  }

  NetworkShape shape_;
  int capacity_;
  int batch_ = 0;
  std::int64_t multiplications_ = 0;  // for an input, about
  Vector parameters_;
  Vector gradient_;
  Vector common_;              // what all inputs have in common
  std::vector<int> states_;    // of the last forward, where indexed
  Matrix features_;            // of the last forward, where not
  Matrix input_deltas_;        // d loss / d features_
  std::vector<Layer> layers_;  // each behind the one it reads
  std::vector<int> outputs_;   // the output layer of each head
};

extern template class BasicNetwork<float>;
extern template class BasicNetwork<double>;
using Network = BasicNetwork<float>;

/// What tensors do not tell of a shape: the activation, the kind of input and the order of the heads.
std::map<std::string, std::string> metadata(const NetworkShape& shape, const std::string& prefix = "");
/// The shape of the network that wrote `metadata` and `tensors` under this prefix. Whatever they hold, this
/// gives a valid shape with no more parameters than the tensors have, or an InputError.
NetworkShape shape_from(const std::map<std::string, std::string>& metadata, std::span<const Tensor> tensors,
                        const std::string& prefix = "");

}  // namespace c2rl
