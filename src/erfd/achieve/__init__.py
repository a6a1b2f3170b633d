"""Algorithm 1: the motion that the motors can achieve, as a run, step by step, or of variants."""
