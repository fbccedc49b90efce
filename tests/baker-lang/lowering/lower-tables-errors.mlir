// RUN: baker-opt --baker-lower-tables --split-input-file --verify-diagnostics %s

// expected-error @+1 {{no structure can hold the table 'rules': all fields are ranges, which are not hashed, so that the limit is at most 1024 [E-baker-407]}}
baker.table @rules key(range "a" : i32) record !baker.struct<"rules", v : i8> types ["u8"] size 2000 limit 2000
