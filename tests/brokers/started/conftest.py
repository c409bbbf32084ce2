"""kafka-python reads its schemas by a way that Python deprecates; that is for it to mend."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka.admin  # noqa: F401
