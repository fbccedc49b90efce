#!/bin/sh
# The C compiler of bakerc --target=x86 --emit=exe, for the harness: links the
# program's object alone, as a shared object without a main function. bakerc
# calls it with -o FILE OBJECT and what an executable needs more.
exec cc -shared "$1" "$2" "$3"
