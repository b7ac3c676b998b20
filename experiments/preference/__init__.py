"""Human preference study on pairs of edits."""
