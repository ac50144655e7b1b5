"""Many processes and threads on one file for a while."""
