"""The commands of `erfd`, one group a file; each has `add(commands)`."""
