"""What is wrong in captured frames, added up and shown."""
