"""The world point-robot (docs/policies.md) as an environment of Gymnasium, for algorithms that know nothing of c2rl. What a step measures
is in `info`. python/tests/test_point_robot.py holds it against the native one."""

import math

import gymnasium
import numpy as np

WALL, GOAL_RADIUS, LEAST_WAY, START_ROOM = 1.5, 0.3, 1.0, 0.2
SIGHT, SECTORS = 1.5, 16


class PointRobot(gymnasium.Env):
    def __init__(self, hazards=8, hazard_radius=0.2, horizon=200):
        self.count, self.radius, self.horizon = hazards, hazard_radius, horizon
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4 + SECTORS,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self._draw(WALL, lambda place: True)
        self.goal = self._draw(WALL - GOAL_RADIUS, lambda place: math.dist(place, self.place) >= LEAST_WAY)
        self.hazards = np.array([self._draw(WALL, self._has_room) for _ in range(self.count)]).reshape(-1, 2)
        self.heading, self.speed, self.steps = math.pi * self.np_random.uniform(-1, 1), 0.0, 0
        return self._seen(), {}

    def step(self, action):
        force, turn = (min(max(float(number), -1.0), 1.0) for number in action)
        way_before = math.dist(self.place, self.goal)
        self._drive(force, turn)
        way = math.dist(self.place, self.goal)
        self.steps += 1
        arrived = way <= GOAL_RADIUS
        in_hazard = self.count > 0 and np.hypot(*(self.hazards - self.place).T).min() <= self.radius
        info = {"steps": 1.0, "reached": float(arrived), "hazard": float(in_hazard), "energy": 0.1 * (force**2 + turn**2),
                "progress": way_before - way}
        return self._seen(), 0.0, arrived, not arrived and self.steps >= self.horizon, info

    def _draw(self, reach, fits):
        """A place, uniformly among those that fit."""
        while True:
            place = self.np_random.uniform(-reach, reach, 2)
            if fits(place):
                return place

    def _has_room(self, hazard):
        return (math.dist(hazard, self.place) >= self.radius + START_ROOM
                and math.dist(hazard, self.goal) >= self.radius + GOAL_RADIUS)

    def _drive(self, force, turn):
        self.heading = math.remainder(self.heading + 0.2 * turn, 2 * math.pi)
        self.speed += 0.1 * (2 * force - 2 * self.speed)
        ahead = np.array([math.cos(self.heading), math.sin(self.heading)])
        free = self.place + 0.1 * self.speed * ahead
        place = np.clip(free, -WALL, WALL)
        if (place != free).any():  # a wall takes the motion into it
            self.speed = float((place - self.place) @ ahead) / 0.1
        self.place = place

    def _seen(self):
        sine, cosine = math.sin(self.heading), math.cos(self.heading)
        seen = np.zeros(4 + SECTORS, np.float32)
        x, y = self.goal - self.place
        way = math.hypot(x, y)
        seen[:4] = self.speed, (cosine * y - sine * x) / way, (cosine * x + sine * y) / way, way / 3
        for x, y in self.hazards - self.place:
            closeness = 1 - math.hypot(x, y) / SIGHT
            if closeness <= 0:
                continue
            direction = math.atan2(cosine * y - sine * x, cosine * x + sine * y) / (2 * math.pi / SECTORS)
            nearest = round(direction)
            for sector in (nearest - 1, nearest, nearest + 1):
                part = min(max(1.5 - abs(direction - sector), 0.0), 1.0)
                place = 4 + sector % SECTORS
                seen[place] = max(seen[place], part * closeness)
        return seen
