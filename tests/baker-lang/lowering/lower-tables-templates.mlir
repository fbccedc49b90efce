// RUN: baker-opt --pass-pipeline='builtin.module(baker-lower-tables{templates=/nonexistent})' --verify-diagnostics %s

// expected-error @+1 {{the template of a table cannot be read: No such file or directory [E-baker-408]}}
baker.table @rules key(exact "a" : i32) record !baker.struct<"rules", v : i8> types ["u8"] size 20 limit 20
