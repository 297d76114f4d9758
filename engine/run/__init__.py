"""The interpreter: decides what runs, runs it, and folds what happened."""
