"""The rules that bind message definitions: each a short function over one, or over a release."""
