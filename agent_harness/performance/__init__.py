"""The performance loop: a benchmark as the contract; floor, profile, propose, verify in pairs, compound, next bottleneck."""
