"""The agent harness: agents in roles change an engine until its failing contract cases pass, and gates prove it."""
