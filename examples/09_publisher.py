"""A controller that publishes its motion, and a viewer that watches it and tells it to slow down.

Any controller can do the same: name the columns, call `publish` in the control loop. It never
waits for viewers. `erfd monitor watch URL` and the studio show such a stream, too.
"""

import math
import time

import erfd
from erfd.monitor import Feed, Publisher

robot = erfd.load("two_link")
with Publisher("test bench", robot, dt=0.01, columns=("q", "qd")) as publisher:
    print(f"streaming {robot.n} joints every 10 ms")
    with Feed(publisher.url) as feed:
        phase, speed = 0.0, 1.0
        for k in range(150):
            for command in publisher.commands():  # start, pause, stop or speed in percent
                print(f"asked for: {command.name} {command.value:g} %")
                speed = command.value / 100
            phase += 0.01 * speed
            rate = -speed * math.sin(phase)
            publisher.publish({"q": [math.cos(phase), 0.5], "qd": [rate, 0.0]})
            if k == 100:
                feed.command("speed", 50)
            time.sleep(0.01)
        seen = feed.samples()
        print(f"the viewer is {feed.state().connection} and has seen q1 from"
              f" {seen['q'][:, 0].max():.1f} to {seen['q'][:, 0].min():.1f} rad")  # fmt: skip
