"""The views of the page, one module each. Each view is told of a new run by
`show(run)`."""
