"""Curves of a run for diagrams: what there is, thinned out for a screen, as SVG or CSV."""
