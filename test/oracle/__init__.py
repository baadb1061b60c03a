"""The oracle: linalg programs run through upstream passes alone."""
