"""What a connection knows of its databases: schema objects, their shapes and statistics."""
