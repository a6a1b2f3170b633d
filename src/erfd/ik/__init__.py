"""Which joints reach this pose? Closed forms, a numerical solver, paths of poses, singularities."""
