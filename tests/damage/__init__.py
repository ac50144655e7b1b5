"""Damaged files: sound samples, mutations of them, and what minisql and SQLite say about the results."""
