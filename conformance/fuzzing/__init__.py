"""Coverage-guided fuzzing of decoders: inputs, mutation, suspicion, and what is made of it.

A fuzzing process only suspects. Whatever it suspects becomes a case, is asked of a fresh process of
the target, and is judged there by the same function as everything else.
"""
