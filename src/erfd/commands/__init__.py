"""The commands of `erfd`, one group a file; each file has `add(commands)`."""
