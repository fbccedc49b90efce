// RUN: baker-opt --baker-lower-tables --split-input-file --verify-diagnostics %s

// expected-error @+1 {{no structure can hold the table 'routes': its nodes need 281854976 bytes, available are 16777216 [E-baker-407]}}
baker.table @routes key(lpm "a" : i128) record !baker.struct<"routes", v : i8> types ["u8"] size 9000000 limit 9000000
