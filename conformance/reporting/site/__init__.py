"""Results as a site of static pages: who stands where, down to the byte that is wrong.

It is opened from a file, so it has neither a server nor a network. What is on every page is HTML
that is written here, by templates that escape whatever they are given. What would be too much for
one page, counts by message and kept failures, lies in scripts that a page loads when it shows them:
browsers let a page from a file load a script, and nothing else.

    reading     the lines of a results file, however it ends
    gathering   one run in bounded memory: passes counted, failures kept up to a limit
    choosing    which runs are shown, and which are only compared with
    standing    the word, the numbers and the order of the first page
    defects     what is to be mended in one target; rule_pages has what each page of a rule tells
    bodies      one failure as data: hexdump aligns its bytes
    pages       HTML; charts draws, comparing tells what two runs make a difference
    building    all of it, into a folder that is put in place when it is whole
"""
