"""The search for contacts and smallest distances: spans of a motion are halved until it is clear.

A task is a shape, a thing and a span of the motion with the distances at both ends. All tasks are
looked at, then all halves of those that are left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..robot.model import Robot
from .contact import TOUCH
from .joint_curve import JointCurve, furthest_ways
from .shapes import ShapeScene

MERGED = 0.01
"""Contacts of a pair that part for less than this, s, are one."""
ENDS = 1e-4
"""When a contact begins and ends is found to this, s."""
FINEST = 1e-4
"""The smallest distances are found to this, m, or to a part of them, if that is more."""
PART, OTHER_PART = 0.005, 0.05
"""Parts of it to which the smallest distance of all, and of another pair, is found."""
NEAR = 0.25
"""Of pairs that stay further apart than this, m, only the nearest one is looked for."""
DEPTH = 1e-3
"""How deep the deepest contact of a pair is, is found to this, m."""
Frames = Callable[[Array], Array]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NearestRecords:
    """What was found of each group, a link and a thing: `groups` (G, 2).

    `best` (G,) are the smallest distances in m, `times` (G,) when, `points` (G, 2, 3) where;
    `touched` lists (group, from s, to s, depth m).
    """

    group: Numbers
    groups: Numbers
    best: Array
    times: Array
    points: Array
    touched: list[tuple[int, float, float, float]]

    @classmethod
    def of(cls, scene: ShapeScene) -> NearestRecords:
        """Nothing found yet, for the pairs of a scene."""
        links = np.array([body.link for body in scene.bodies])
        things = np.array([obstacle.thing for obstacle in scene.obstacles])
        both = np.column_stack([links[scene.pairs[:, 0]], things[scene.pairs[:, 1]]])
        groups, group = np.unique(both, axis=0, return_inverse=True)
        size = len(groups)
        empty = np.full(size, np.inf), np.zeros(size), np.zeros((size, 2, 3))
        return cls(group.reshape(-1), groups, *empty, [])

    def of_interest(self, pairs: Numbers) -> Array:
        """Distances (K,) in m from which on nothing new is found of pairs (K,): at least 0."""
        best, nearest = self.best[self.group[pairs]], float(self.best.min())
        own = np.minimum(best * (1 - OTHER_PART), best - FINEST)
        least = max(min(nearest * (1 - PART), nearest - FINEST), 0.0)
        return np.asarray(np.maximum(np.minimum(own, NEAR), least))

    def spans(self, number: int) -> list[tuple[float, float, float]]:
        """The contacts of a group: from, to (s) and depth (m), short gaps closed."""
        merged: list[tuple[float, float, float]] = []
        for group, start, end, depth in sorted(self.touched):
            if group != number:
                continue
            if merged and start <= merged[-1][1] + MERGED:
                first, last, most = merged.pop()
                start, end, depth = first, max(last, end), max(most, depth)
            merged.append((start, end, depth))
        return merged


@dataclass(frozen=True, slots=True, eq=False)
class _Tasks:
    """Spans from a to b (K,) on the curve, the pair's number, and the distances at both, m."""

    pair: Numbers
    a: Array
    b: Array
    at_a: Array
    at_b: Array

    def those(self, which: NDArray[np.bool_]) -> _Tasks:
        """Some of the tasks."""
        return _Tasks(*(getattr(self, name)[which] for name in self.__slots__))


def search(
    robot: Robot, scene: ShapeScene, curve: JointCurve, frames: Frames, records: NearestRecords
) -> None:
    """Add to the records what is found on a curve; `frames` has the link frames in the world."""
    look = _Look(robot, scene, curve, frames, records)
    pair = np.arange(len(scene.pairs))
    ends = np.zeros(len(pair)), np.full(len(pair), float(len(curve)))
    tasks = _Tasks(pair, *ends, look.gaps(pair, ends[0]), look.gaps(pair, ends[1]))
    while len(tasks.pair):
        tasks = look.halves(look.open(tasks))


class _Look:
    """The way to look at places of one curve."""

    def __init__(
        self,
        robot: Robot,
        scene: ShapeScene,
        curve: JointCurve,
        frames: Frames,
        records: NearestRecords,
    ) -> None:
        self.scene, self.curve, self.records, self.frames = scene, curve, records, frames
        self.links = np.array([body.link for body in scene.bodies])
        self.places = np.array([body.place for body in scene.bodies])
        self.at_knots = frames(curve.knots)
        self.carriers = scene.carriers
        # a mover: a shape, seen from the link that an obstacle is fixed to
        both = np.column_stack([scene.pairs[:, 0], self.carriers])
        movers, mover = np.unique(both, axis=0, return_inverse=True)
        self.mover = mover.reshape(-1)
        self.ways = np.zeros((len(movers), len(curve) + 1))
        rates = curve.rates()
        links = np.column_stack([self.links[movers[:, 0]], movers[:, 1]])
        for link, carrier in np.unique(links, axis=0).tolist():
            own = np.flatnonzero((links == (link, carrier)).all(axis=1))
            bodies = movers[own, 0]
            middles = self.places[bodies][:, :3, 3]
            frame = self.at_knots[:, link + 1]
            centers = np.einsum("kij,bj->bki", frame[:, :3, :3], middles) + frame[:, :3, 3]
            reach = np.array([scene.bodies[b].reach for b in bodies])
            given = centers, reach, self.at_knots, rates, carrier
            self.ways[own] = furthest_ways(robot, link, *given)

    def way(self, pair: Numbers, x: Array) -> Array:
        """How far the shapes of pairs (K,) have gone at most up to places x (K,), m."""
        mover = self.mover[pair]
        k = np.minimum(x.astype(int), max(len(self.curve) - 1, 0))
        after = self.ways[mover, np.minimum(k + 1, len(self.curve))]
        before = self.ways[mover, k]
        return np.asarray(before + (x - k) * (after - before))

    def places_at(self, pair: Numbers, x: Array) -> tuple[Array, Array]:
        """Where the shapes of pairs (K,) are at x (K,), seen from what carries the obstacle.

        Returns:
            Their places (K, 4, 4), and those of what carries the obstacles in the world.
        """
        body, carrier = self.scene.pairs[pair, 0], self.carriers[pair]
        columns = np.column_stack([self.links[body] + 1, np.maximum(carrier + 1, 0)])
        found = np.empty((len(x), 2, 4, 4))
        whole = x == np.floor(x)
        found[whole] = self.at_knots[x[whole].astype(int)[:, None], columns[whole]]
        if not whole.all():
            own, which = np.unique(x[~whole], return_inverse=True)
            frames = self.frames(self.curve.at(own))
            found[~whole] = frames[which.reshape(-1)[:, None], columns[~whole]]
        frame, base = found[:, 0], found[:, 1]
        base[carrier < 0] = np.eye(4)
        seen = frame if (carrier < 0).all() else _seen_from(base, frame)
        return np.asarray(seen @ self.places[body]), base

    def gaps(
        self, pair: Numbers, x: Array, needed: Callable[[Array], NDArray[np.bool_]] | None = None
    ) -> Array:
        """Distances of pairs (K,) at places x (K,), m; the best ones are kept.

        Where `needed`, asked with the distances of spheres and boxes around, says no: those.
        """
        scene, records = self.scene, self.records
        places, bases = self.places_at(pair, x)
        bodies, things = scene.pairs[pair].T
        found = scene.least_gaps(bodies, things, places[:, :3, 3])
        looked_at = np.ones(len(x), dtype=bool) if needed is None else needed(found)
        times = self.curve.time(x).tolist()
        for k in np.argsort(found).tolist():
            if not looked_at[k]:
                continue
            if found[k] > max(records.best.min(), NEAR):
                break  # sorted: nor is anyone further of interest
            gap = scene.gap(int(bodies[k]), int(things[k]), places[k])
            found[k], group = gap, int(records.group[pair[k]])
            if gap < records.best[group]:
                records.best[group], records.times[group] = gap, times[k]
                points = scene.nearest_points()
                records.points[group] = points @ bases[k, :3, :3].T + bases[k, :3, 3]
            if gap <= TOUCH:
                records.touched.append((group, times[k], times[k], max(-gap, 0.0)))
        return found

    def open(self, tasks: _Tasks) -> _Tasks:
        """The tasks that have to be halved; spans in touch are recorded."""
        way = self.way(tasks.pair, tasks.b) - self.way(tasks.pair, tasks.a)
        seconds = self.curve.time(tasks.b) - self.curve.time(tasks.a)
        touch_a, touch_b = tasks.at_a <= TOUCH, tasks.at_b <= TOUCH
        inside, outside = touch_a & touch_b, ~touch_a & ~touch_b
        least = (tasks.at_a + tasks.at_b - way) / 2
        left = np.where(outside, least < self.records.of_interest(tasks.pair), seconds > ENDS)
        deeper = least < self.records.best[self.records.group[tasks.pair]] - DEPTH
        left[inside] = (((seconds > MERGED) & (way > TOUCH)) | deeper)[inside]
        for k in np.flatnonzero(inside & ~left).tolist():
            start, end = self.curve.time(np.array([tasks.a[k], tasks.b[k]]))
            group = int(self.records.group[tasks.pair[k]])
            self.records.touched.append((group, float(start), float(end), 0.0))
        return tasks.those(left)

    def halves(self, tasks: _Tasks) -> _Tasks:
        """Both halves of each task, with the distances in the middle."""
        pair, a, b = tasks.pair, tasks.a, tasks.b
        middle = np.where(b - a > 1, np.floor((a + b) / 2), (a + b) / 2)
        gone = self.way(pair, middle)
        before, after = gone - self.way(pair, a), self.way(pair, b) - gone
        limit = self.records.of_interest(pair)
        touching = (tasks.at_a <= TOUCH) | (tasks.at_b <= TOUCH)

        def needed(known: Array) -> NDArray[np.bool_]:
            least = (known + np.minimum(tasks.at_a - before, tasks.at_b - after)) / 2
            return np.asarray(touching | (least < limit))

        at = self.gaps(pair, middle, needed)
        first, second = replace(tasks, b=middle, at_b=at), replace(tasks, a=middle, at_a=at)
        names = _Tasks.__slots__
        both = [np.concatenate([getattr(half, n) for half in (first, second)]) for n in names]
        return _Tasks(*both)


def _seen_from(base: Array, frame: Array) -> Array:
    """The frames (K, 4, 4) in other ones, both in the world."""
    seen = frame.copy()
    turn = base[:, :3, :3].transpose(0, 2, 1)
    seen[:, :3, :3] = turn @ frame[:, :3, :3]
    seen[:, :3, 3] = np.einsum("kij,kj->ki", turn, frame[:, :3, 3] - base[:, :3, 3])
    return seen
