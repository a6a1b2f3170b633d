"""Benchmarks: the speed of ERFD and its peers side by side, in one run, on this machine."""
