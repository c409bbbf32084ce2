"""Our own codec, broker and client, which keep every rule."""
