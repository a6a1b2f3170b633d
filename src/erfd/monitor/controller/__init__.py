"""A simulated robot controller: Algorithm 1 in real time, with override, pause and payloads."""
