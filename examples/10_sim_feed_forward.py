"""Feed-forward control in the shell `erfd sim`: voltages of the Inverse Arm drive the Forward Arm.

The Inverse Arm turns a trajectory into voltages, row by row; the Forward Arm follows them, once as
the computer knows it and once with 3 kg in its hand that the computer does not know.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import erfd
from erfd.robot.payload import with_payload

ROBOT, LOAD, TIME = "cmu_dd", 3.0, 1.5
AWAY = np.array([0.6, 0.5, -0.4, 0.7, 0.5, 0.4])  # rad, from hanging straight down
SCRIPT = """
inverse_arm sets.txt
sets.out
{database}
DACTimePeriod = 0.001
simulate
new
yes
yes
sets.schedule
open_output_file motion.txt
print_simulation
0
{time}
0.01
quit
"""


def trajectory(t: np.ndarray) -> np.ndarray:
    """Rows of t, theta, omega, alpha: from rest to rest, the smoothest polynomial of degree 5."""
    s = t[:, None] / TIME
    theta = AWAY * (10 * s**3 - 15 * s**4 + 6 * s**5)
    omega = AWAY / TIME * (30 * s**2 - 60 * s**3 + 30 * s**4)
    alpha = AWAY / TIME**2 * (60 * s - 180 * s**2 + 120 * s**3)
    return np.hstack([t[:, None], theta, omega, alpha])


def followed(folder: Path, database: str = "") -> np.ndarray:
    """The positions that the arm takes, every 0.01 s, by a session of the shell."""
    script = SCRIPT.format(database=database, time=TIME)
    command = [sys.executable, "-m", "erfd", "sim", ROBOT]
    done = subprocess.run(command, input=script, cwd=folder, env=os.environ, text=True,
                          capture_output=True)  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    return np.loadtxt(folder / "motion.txt")[:, 1:7]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = trajectory(np.arange(round(TIME / 0.001) + 1) * 0.001)
        np.savetxt(folder / "sets.txt", wanted)
        path = wanted[::10, 1:7]
        known = followed(folder)
        erfd.save(with_payload(erfd.load(ROBOT), erfd.Payload(LOAD)), folder / "loaded.toml")
        loaded = followed(folder, "database_read loaded.toml")
    print(f"{ROBOT}: {TIME:g} s, joints turn by up to {np.degrees(np.abs(AWAY).max()):.0f} deg")
    for words, found in (("as the computer knows it", known), (f"with {LOAD:g} kg more", loaded)):
        worst = np.degrees(np.abs(found - path).max(axis=0))
        print(f"{words}: error up to {', '.join(f'{x:.3f}' for x in worst)} deg")


if __name__ == "__main__":
    main()
