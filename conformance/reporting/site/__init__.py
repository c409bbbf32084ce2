"""Results as a site of static pages: the ranking of targets, down to the byte that is wrong.

It is opened from a file, so it has neither a server nor a network. What is on every page is HTML
that is written here, by templates that escape all their input. Data that would be too much for one
page, counts by message and kept failures, lies in scripts that a page loads when it shows them:
browsers let a page from a file load a script, and nothing else.

    reading       the lines of a results file, however it ends
    gathered_run  one run in bounded memory: passes counted, failures kept up to a limit
    matrix_runs   which runs are shown, and which are only compared with
    standing      the word, the numbers and the order of the first page
    defects       what is to be mended in one target; rule_pages has the page of each rule
    bodies        one failure as data: hexdump aligns its bytes
    pages         HTML; charts draws, compared shows the differences of two runs
    building      all of it, into a folder that is put in place when it is whole
"""
