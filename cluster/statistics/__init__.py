"""From results to ratings: pure functions over NumPy arrays and Polars frames."""
