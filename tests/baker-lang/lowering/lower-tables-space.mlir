// RUN: baker-opt --baker-lower-tables --verify-diagnostics %s

// expected-error @+1 {{no structure can hold the table 'huge': its nodes need}}
baker.table @huge key(lpm "a" : i128, exact "b" : i128, exact "c" : i128) record !baker.struct<"huge", v : i8> types ["u8"] size 9000000 limit 9000000
