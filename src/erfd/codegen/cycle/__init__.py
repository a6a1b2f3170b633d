"""One cycle of Algorithm 1 as C99 for controllers, with its header and self-test."""
