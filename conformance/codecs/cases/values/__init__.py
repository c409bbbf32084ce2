"""Values of fields for cases, and the forms that targets need them in."""
