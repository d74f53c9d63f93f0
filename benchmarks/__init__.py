"""Side-by-side measurements of the package against native Spark SQL: `python -m benchmarks`."""
