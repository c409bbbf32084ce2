"""Generated readers and writers: from a form to straight-line Python."""
