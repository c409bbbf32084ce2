"""The actions that an application has the reference client do."""
