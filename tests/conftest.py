"""Settings of the whole suite."""

from hypothesis import settings

# A busy machine is no fault of the code, and a run should fail today as it fails tomorrow.
settings.register_profile("ratinglab", deadline=None, derandomize=True)
settings.load_profile("ratinglab")
