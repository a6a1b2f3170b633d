"""`erfd controller` as a process."""

import json
import subprocess
import sys


class Started:
    """`erfd controller` as a process."""

    def __init__(self, *arguments: str):
        command = [sys.executable, "-m", "erfd", "controller", *arguments, "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.greeting = json.loads(self.process.stdout.readline())
        self.url = self.greeting["url"]
        self.port = self.url.rsplit(":", 1)[1]

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
