"""The storage protocols as explicit-state models, a checker for them, and the replay of their traces on the engine itself."""
