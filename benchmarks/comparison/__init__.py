"""The workloads of benchmarks/compare.py, by class, and what runs and shows them."""
