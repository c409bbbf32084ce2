"""franz-go's definitions: the language that its package kmsg is generated from.

Read after its description (generate/README.md of github.com/twmb/franz-go) and what its generator
makes of it: `lines` has the blocks of a file, `grammar` what one line says, `blocks` a definition
as it was written, `meaning` the same in our model.
"""
