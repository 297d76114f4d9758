"""The models that a flow can ask, one file per kind of provider."""
