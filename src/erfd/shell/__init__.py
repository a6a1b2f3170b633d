"""The shell `erfd sim`: the arm simulator of CMU-RI-TR-82-17, its variables and commands."""
