"""What an application has the reference client do."""
