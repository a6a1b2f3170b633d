"""An independent referee: the rules written a second time, and random programs to compare with."""
