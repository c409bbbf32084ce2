"""The rules for changes of a definition from one release to the next, and a message's history."""
