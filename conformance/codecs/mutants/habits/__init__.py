"""Codecs that do in every place what a mutant does in one; a diagnosis knows them."""
