"""The built-in node types, one per file."""
