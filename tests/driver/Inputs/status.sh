# status.sh STATUS COMMAND…: runs the command; its exit status must be STATUS.
want=$1
shift
"$@"
got=$?
[ "$got" -eq "$want" ] || echo "exit status $got, not $want"
[ "$got" -eq "$want" ]
