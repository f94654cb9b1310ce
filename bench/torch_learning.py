#!/usr/bin/env python3
"""torch_learning.py PROGRAM: what learning_bench (PROGRAM) measures, next to PyTorch doing the same work.

Both run on one core of this machine, one after the other, and seconds are of the processor. A2C has the same
episodes at a time, rollouts, network, loss and step of Adam; DDQN the same batches, networks and
synchronisations. PyTorch simulates all episodes at once by table lookups, and reads states by an embedding
rather than a product with one-hot vectors. It is measured twice: as it is usually written, with a column of
the batch for every transition, and, as c2rl does it, with every state in the network once, from where its
outputs are gathered.
"""

import copy
import json
import statistics
import subprocess
import sys
import time

import torch
from torch import nn


def mlp(states, hidden, outputs=None):
    """Reads indices of states; without outputs, the hidden layers alone."""
    layers = [FirstLayer(states, hidden[0]), nn.ReLU()]
    for inputs, width in zip(hidden, hidden[1:]):
        layers += [nn.Linear(inputs, width), nn.ReLU()]
    if outputs is not None:
        layers.append(nn.Linear(hidden[-1], outputs))
    return nn.Sequential(*layers)


class FirstLayer(nn.Module):
    """A linear layer of one-hot vectors."""

    def __init__(self, states, outputs):
        super().__init__()
        self.weight = nn.Embedding(states, outputs)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, state):
        return self.weight(state) + self.bias


class ActorCritic(nn.Module):
    def __init__(self, states, actions, hidden):
        super().__init__()
        self.trunk = mlp(states, hidden)
        self.policy = nn.Linear(hidden[-1], actions)
        self.value = nn.Linear(hidden[-1], 1)

    def forward(self, state):
        x = self.trunk(state)
        return self.policy(x), self.value(x).squeeze(-1)


class Dueling(nn.Module):
    def __init__(self, states, actions, hidden):
        super().__init__()
        self.value = mlp(states, hidden, 1)
        self.advantage = mlp(states, hidden, actions)

    def forward(self, state):
        advantage = self.advantage(state)
        return self.value(state) + advantage - advantage.mean(-1, keepdim=True)


class Navigation:
    """Episodes side by side. The goal has no actions: its row of the tables is never read."""

    def __init__(self, model, slots):
        self.actions = max(len(row) for row in model["next"])
        pad = [0] * self.actions
        self.next = torch.tensor([row or pad for row in model["next"]])
        self.reward = -torch.tensor([row or pad for row in model["cost"]], dtype=torch.float32)
        self.goal = torch.tensor([not row for row in model["next"]])
        self.states = len(model["next"])
        self.start, self.horizon = model["start"], model["horizon"]
        self.discount = 1 - 1 / self.horizon  # while learning
        self.state = torch.full((slots,), self.start)
        self.taken = torch.zeros(slots, dtype=torch.long)

    def step(self, action):
        """Reward, where it led, whether that ended the episode or cut it; ended ones begin again."""
        reward = self.reward[self.state, action]
        arrived = self.next[self.state, action]
        self.taken += 1
        terminated = self.goal[arrived]
        truncated = ~terminated & (self.taken == self.horizon)
        ended = terminated | truncated
        self.state = arrived.masked_fill(ended, self.start)
        self.taken.masked_fill_(ended, 0)
        return reward, arrived, terminated, truncated


def between(first, last, part):
    return first + min(1.0, part) * (last - first)


def a2c_steps_per_second(model, o, each_state_once):
    slots, length = o["environments"], o["rollout_steps"]
    world = Navigation(model, slots)
    everything = torch.arange(world.states)
    network = ActorCritic(world.states, world.actions, o["hidden"])
    adam = torch.optim.Adam(network.parameters(), lr=o["learning_rate"], foreach=True)
    done = 0
    begin = time.process_time()
    while done < o["training_steps"]:
        state = torch.empty(length, slots, dtype=torch.long)
        action = torch.empty(length, slots, dtype=torch.long)
        reward, value, ahead = (torch.empty(length, slots) for _ in range(3))
        ended = torch.empty(length, slots, dtype=torch.bool)
        terminated = torch.empty(length, slots, dtype=torch.bool)
        with torch.inference_mode():
            if each_state_once:
                scores, values = network(everything)
                table = scores.softmax(-1)
            for t in range(length):
                state[t] = world.state
                if each_state_once:
                    probabilities, value[t] = table[world.state], values[world.state]
                else:
                    scores, value[t] = network(world.state)
                    probabilities = scores.softmax(-1)
                action[t] = probabilities.multinomial(1).squeeze(-1)
                reward[t], arrived, terminated[t], truncated = world.step(action[t])
                ended[t] = terminated[t] | truncated
                if t + 1 == length or truncated.any():
                    ahead[t] = values[arrived] if each_state_once else network(arrived)[1]
            # What was not cut goes on with the value of the next step.
            goes_on = ~ended[:-1]
            ahead[:-1] = torch.where(goes_on, value[1:], ahead[:-1])
            ahead.masked_fill_(terminated, 0)
            advantage = reward + world.discount * ahead - value
            keep = world.discount * o["gae_lambda"] * goes_on
            for t in reversed(range(length - 1)):
                advantage[t] += keep[t] * advantage[t + 1]
            target = advantage + value
            advantage = (advantage - advantage.mean()) / (advantage.std(unbiased=False) + 1e-8)
        part = done / o["training_steps"]
        entropy_weight = between(o["entropy_first"], o["entropy_last"], part / o["entropy_decay_part"])
        # Tensors made in inference mode cannot take part in a loss.
        state, action, advantage, target = (x.flatten().clone() for x in (state, action, advantage, target))
        if each_state_once:
            scores, values = network(everything)
            scores, values = scores[state], values[state]
        else:
            scores, values = network(state)
        log = scores.log_softmax(-1)
        chosen = log.gather(-1, action.unsqueeze(-1)).squeeze(-1)
        entropy = -(log.exp() * log).sum(-1)
        loss = (-(advantage * chosen).mean() - entropy_weight * entropy.mean()
                + o["value_weight"] * nn.functional.smooth_l1_loss(values, target))
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), o["max_gradient_norm"])
        adam.param_groups[0]["lr"] = between(o["learning_rate"], o["learning_rate_last"], part)
        adam.step()
        done += slots * length
    return done / (time.process_time() - begin)


def record(model, transitions):
    """Of a behaviour that draws its actions uniformly: what is learned has no part in what an update takes."""
    slots = 1000
    world = Navigation(model, slots)
    rows = []
    for _ in range(transitions // slots):
        state, action = world.state.clone(), torch.randint(world.actions, (slots,))
        reward, arrived, terminated, _ = world.step(action)
        rows.append((state, action, reward, arrived, world.discount * (~terminated).float()))
    return world, [torch.cat(column) for column in zip(*rows)]


def ddqn_updates_per_second(model, o, each_state_once):
    world, (state, action, reward, arrived, discount) = record(model, o["transitions"])
    everything = torch.arange(world.states)
    network = Dueling(world.states, world.actions, o["hidden"])
    target = copy.deepcopy(network)
    adam = torch.optim.Adam(network.parameters(), lr=o["learning_rate"], foreach=True)
    begin = time.process_time()
    for update in range(o["updates"]):
        if update % o["target_period"] == 0:
            target.load_state_dict(network.state_dict())
            if each_state_once:
                with torch.no_grad():
                    target_table = target(everything)
        drawn = torch.randint(len(state), (o["batch"],))
        s, a, after = state[drawn], action[drawn].unsqueeze(-1), arrived[drawn]
        if each_state_once:
            table = network(everything)
            q = table[s]
        else:
            q = network(s)
        with torch.no_grad():
            best = (table.detach()[after] if each_state_once else network(after)).argmax(-1, keepdim=True)
            valued = target_table[after] if each_state_once else target(after)
            y = reward[drawn] + discount[drawn] * valued.gather(-1, best).squeeze(-1)
        # Half the square, whose derivative is the error.
        loss = 0.5 * nn.functional.mse_loss(q.gather(-1, a).squeeze(-1), y)
        adam.zero_grad()
        loss.backward()
        part = update / o["updates"]
        adam.param_groups[0]["lr"] = between(o["learning_rate"], o["learning_rate_last"], part)
        adam.step()
    return o["updates"] / (time.process_time() - begin)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    figures = json.loads(subprocess.run([sys.argv[1], "--json"], check=True, stdout=subprocess.PIPE).stdout)
    model, repetitions = figures["navigation"], max(3, figures["repetitions"] // 3)
    a2c, ddqn = figures["actor_critic"], figures["double_q"]
    print(f"The same with PyTorch {torch.__version__}, one core, median of {repetitions} trainings\n")
    print(f"{'':<34}{'c2rl':>12}{'PyTorch':>12}{'ratio':>8}{'each state once':>18}{'ratio':>8}")
    for name, ours, theirs in [
        ("A2C, environment steps / s", a2c["steps_per_second"],
         lambda once: a2c_steps_per_second(model, a2c, once)),
        (f"DDQN, updates / s of {ddqn['batch']}", ddqn["updates_per_second"],
         lambda once: ddqn_updates_per_second(model, ddqn, once)),
    ]:
        usual, once = (statistics.median(theirs(flag) for _ in range(repetitions)) for flag in (False, True))
        print(f"{name:<34}{ours:>12.0f}{usual:>12.0f}{ours / usual:>8.1f}{once:>18.0f}{ours / once:>8.1f}")


if __name__ == "__main__":
    main()
