"""The searchers for wrong answers: statements made from a seed, oracles that judge them, and the shrinking of what they find.

`python -m tests.fuzz --seconds 600 --jobs 2` runs all oracles; docs/fuzzing.md says what each of them asks.
"""
