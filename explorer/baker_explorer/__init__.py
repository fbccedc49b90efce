"""A local web page that shows what a Baker program becomes and what its packets do.

The page runs Karakal's tools and shows the files that they write. Modules,
bottom-up; each may import those before it:

    workspace   files below the folder in which the explorer was started
    tools       runs Karakal's tools and nothing else
    listings    a program's forms, with the source line of each line
    forms       the module after each pass
    record      packets and spans of a run in SQLite
    language    diagnostics of baker-lsp
    runs        compiles and simulates, and reads what the tools wrote
    session     what one start of the explorer works on
    guard       lets in only requests of this machine that know the token
    views/      one module a view of the page
    server      serves the page
    cli         the command line
"""
