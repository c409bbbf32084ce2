"""franz-go's definitions: the language that its package kmsg is generated from.

This reader follows its description (generate/README.md of github.com/twmb/franz-go) and the output
of its generator: `grammar` has the blocks of a file and the contents of one line, `blocks` a
definition as it was written, `meaning` the same in our model.
"""
