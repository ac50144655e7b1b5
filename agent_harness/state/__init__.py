"""State on disk: events are the truth, attempts and evaluations hold the rest, the index database can be rebuilt."""
