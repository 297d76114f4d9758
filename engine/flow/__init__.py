"""The flow document: what it is, how it is read, changed and checked."""
