"""Text to search: the paragraphs of Python's reference that the standard library carries (pydoc_data.topics)."""

from __future__ import annotations

from pydoc_data.topics import topics

TOPICS = [part for topic in topics.values() for part in topic.split("\n\n") if part.strip()]
