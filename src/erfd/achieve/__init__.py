"""Algorithm 1: what do the motors make of a motion, cycle by cycle? Runs, steps, variants."""
