"""`python -m referee N [SEED]` in tests: so many random programs, differences line by line.

`python -m referee show ARM NUMBER` writes one program.
"""

import sys
from collections import Counter

import erfd

from .arms import NAMES, pair
from .programs import random_program
from .trials import numbers, tried


def main(words: list[str]) -> int:
    """Try the programs, or show one; exit code 1 if there is a difference."""
    if words and words[0] == "show":
        program = random_program(pair(words[1]).arm, int(words[2]))
        print(program.text, program, sep="\n")
        return 0
    count, seed = int(words[0]), int(words[1]) if len(words) > 1 else 0
    kinds: Counter[str] = Counter()
    different = 0
    with erfd.backend("compiled"):
        trials = ((name, n) for n in numbers(seed, -(-count // len(NAMES))) for name in NAMES)
        for sentence in tried(trials, kinds):
            different += 1
            print(sentence, flush=True)
    print(f"{count:,} programs ({dict(kinds)}): {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
