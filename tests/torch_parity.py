#!/usr/bin/env python3
"""torch_parity.py PROGRAM FILE: the networks that PROGRAM writes to FILE, recomputed by PyTorch.

Outputs, gradients and the parameters after a clipped step of Adam agree to a relative 1e-5. Where PyTorch is
not installed, the exit status is that of a skipped test.
"""

import json
import struct
import subprocess
import sys

SKIPPED = 77
TOLERANCE = 1e-5

try:
    import torch
except ImportError:
    print("PyTorch is not installed: skipped")
    sys.exit(SKIPPED)


def read_safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", name
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(data, dtype=torch.float32, count=(end - begin) // 4, offset=begin)
        tensors[name] = flat.reshape(entry["shape"]).clone()
    return metadata, tensors


class Part(dict):
    """The tensors under a prefix, by the rest of their names."""

    def __init__(self, tensors, prefix):
        super().__init__((name[len(prefix):], x) for name, x in tensors.items() if name.startswith(prefix))


def layers(parameters, name):
    """nn.Linear modules "<name>.0", "<name>.1", ... with the parameters given to them by load_state_dict."""
    result = []
    while f"{name}.{len(result)}.weight" in parameters:
        state = Part(parameters, f"{name}.{len(result)}.")
        linear = torch.nn.Linear(state["weight"].shape[1], state["weight"].shape[0])
        linear.load_state_dict(state)
        result.append(linear)
    return torch.nn.ModuleList(result)


class Network(torch.nn.Module):
    def __init__(self, parameters, activation, heads):
        super().__init__()
        self.parts = torch.nn.ModuleDict({name: layers(parameters, name) for name in ["trunk", *heads]})
        self.activation = {"relu": torch.relu, "tanh": torch.tanh}[activation]
        self.heads = heads

    def forward(self, x):
        for layer in self.parts["trunk"]:
            x = self.activation(layer(x))
        outputs = {}
        for head in self.heads:
            *hidden, last = self.parts[head]
            y = x
            for layer in hidden:
                y = self.activation(layer(y))
            outputs[head] = last(y)
        return outputs


def check(name, ours, theirs):
    theirs = theirs.detach().reshape(ours.shape)
    difference = ((ours - theirs).norm() / theirs.norm()).item()
    print(f"{name:<55} {difference:.1e}")
    return difference <= TOLERANCE


def check_network(name, metadata, tensors):
    part = Part(tensors, name + ".")
    heads = metadata[name + ".heads"].split(",")
    network = Network(Part(part, "before."), metadata[name + ".activation"], heads)
    optimizer = torch.optim.Adam(network.parameters(), lr=float(metadata["learning_rate"]),
                                 eps=float(metadata["epsilon"]))

    outputs = network(part["input"])
    if "output.q" in part:
        advantage = outputs["advantage"]
        outputs["q"] = outputs["value"] + advantage - advantage.mean(dim=1, keepdim=True)
        for head in heads:
            outputs[head].retain_grad()
    good = [check(f"{name}: output {head}", part[f"output.{head}"], x) for head, x in outputs.items()]

    last = ["q"] if "q" in outputs else heads
    torch.autograd.backward([outputs[head] for head in last], [part[f"output_gradient.{head}"] for head in last])
    if "q" in outputs:
        good += [check(f"{name}: output gradient {head}", part[f"output_gradient.{head}"], outputs[head].grad)
                 for head in heads]
    named = {key.removeprefix("parts."): x for key, x in network.named_parameters()}
    assert Part(part, "gradient.").keys() == named.keys() == Part(part, "after.").keys()
    good += [check(f"{name}: gradient {key}", part[f"gradient.{key}"], x.grad) for key, x in named.items()]

    norm = torch.nn.utils.clip_grad_norm_(network.parameters(), float(metadata["clip"]))
    good.append(check(f"{name}: norm", part["norm"], norm))
    optimizer.step()
    # The step itself, too: it is small beside the parameters.
    for key, x in named.items():
        before = part[f"before.{key}"]
        good.append(check(f"{name}: after {key}", part[f"after.{key}"], x))
        steps = (part[f"after.{key}"] - before, x - before)
        rounding = 2**-23 * (before.norm() / steps[1].norm()).item()
        difference = ((steps[0] - steps[1]).norm() / steps[1].norm()).item()
        print(f"{name + ': step ' + key:<55} {difference:.1e}")
        good.append(difference <= TOLERANCE + rounding)
    return all(good)


def main():
    program, path = sys.argv[1:]
    subprocess.run([program, path], check=True)
    metadata, tensors = read_safetensors(path)
    torch.set_num_threads(1)
    names = ["actor_critic", "actor_critic_of_features", "dueling"]
    good = [check_network(name, metadata, tensors) for name in names]
    print("agree" if all(good) else f"differ by more than {TOLERANCE}")
    sys.exit(0 if all(good) else 1)


main()
