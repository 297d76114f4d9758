"""The document, the language and the interpreter of flows. Runs without a screen."""
