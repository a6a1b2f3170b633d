"""A program that publishes until it is killed, and a port to publish at."""

import socket


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


PUBLISHING = """
import sys, time
from erfd.monitor import Publisher
with Publisher("p", n=2, dt=0.01, columns=("q",), port=int(sys.argv[1])) as publisher:
    print("ready", flush=True)
    while True:
        publisher.publish({"q": [1, 2]})
        time.sleep(0.01)
"""
