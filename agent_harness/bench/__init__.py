"""The bench: how many planted one-edit faults, and how many faults of the past, does the embedded agent close?"""
