"""A second reading of the microengine's instruction words, for tests.

    rows.txt     the rows, typed by hand from the instruction set reference
    rows         reads them
    operands     operand fields and the rules between operands
    decoder      a word as text
    model        the results of instructions

Nothing here reads the project's own tables, so that a mistake in those shows as
a difference.
"""
