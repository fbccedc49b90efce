// RUN: baker-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{there is no kind of match 'prefix'}}
baker.table @t key(prefix "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1

// -----

// expected-error @+1 {{at most one field of a key is lpm}}
baker.table @t key(lpm "a" : i8, lpm "b" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1

// -----

// expected-error @+1 {{the field "a" of the key is declared twice}}
baker.table @t key(exact "a" : i8, exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1

// -----

// expected-error @+1 {{a field of a key is an integer of at most 128 bits}}
baker.table @t key(exact "a" : i129) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1

// -----

// expected-error @+1 {{each field of the record has a type}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types [] size 1 limit 1

// -----

// expected-error @+1 {{the size is 1 to the limit}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 2 limit 1

// -----

// expected-error @+1 {{there is no field "w"}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] mutable ["w"] size 1 limit 1

// -----

// expected-error @+1 {{each field of the record has a default value}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1 default [1, 2]

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f(%k: i16) -> i32 {
  // expected-error @+1 {{takes the fields of the key of @t}}
  %n = baker.table_find @t(%k) : i16
  return %n : i32
}

// -----

func.func private @f(%n: i32) -> i1 {
  // expected-error @+1 {{there is no table @t}}
  %h = baker.table_hit @t[%n]
  return %h : i1
}

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f(%n: i32) {
  // expected-error @+1 {{refers to the record of @t}}
  %r = baker.table_entry @t[%n] : !baker.ref<!baker.struct<"t", w : i8>>
  return
}

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f(%k: i8) {
  // expected-error @+1 {{has other arguments than "add" of @t}}
  %s = baker.table_update "add" @t(%k) : i8
  return
}

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f(%k: i8) {
  // expected-error @+1 {{there is no operation "put"}}
  %s = baker.table_update "put" @t(%k) : i8
  return
}

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f() {
  // expected-error @+1 {{needs 'idle' of @t}}
  %s = baker.table_update "expire" @t()
  return
}

// -----

// expected-error @+1 {{'prefix_lengths' and 'prefix_nodes' come together}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 3]

// -----

// expected-error @+1 {{'prefix_lengths' and 'prefix_nodes' come together}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_nodes [1, 2]

// -----

// expected-error @+1 {{a key of 2 bits has 3 'prefix_lengths' and 2 'prefix_nodes'}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2] prefix_nodes [1, 2]

// -----

// expected-error @+1 {{a key of 2 bits has 3 'prefix_lengths' and 2 'prefix_nodes'}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 3] prefix_nodes [1, 2, 0]

// -----

// expected-error @+1 {{'prefix_lengths' are counts, of which one is not 0}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [0, 0, 0] prefix_nodes [0, 0]

// -----

// expected-error @+1 {{'prefix_lengths' are counts, of which one is not 0}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, -2, 3] prefix_nodes [1, 2]

// -----

// expected-error @+1 {{'prefix_lengths' are counts, of which one is not 0}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 9223372036854775807] prefix_nodes [1, 2]

// -----

// expected-error @+1 {{element 1 of 'prefix_nodes' is 3, not 1 to 2}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 3] prefix_nodes [1, 3]

// -----

// expected-error @+1 {{element 1 of 'prefix_nodes' is 0, not 1 to 2}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 3] prefix_nodes [1, 0]

// -----

// expected-error @+1 {{element 1 of 'prefix_nodes' is 1, not 0 to 0}}
baker.table @t key(lpm "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 0] prefix_nodes [1, 1]

// -----

// expected-error @+1 {{'prefix_lengths' needs a key that is exact but for one prefix}}
baker.table @t key(exact "a" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 3] prefix_nodes [1, 2]

// -----

// expected-error @+1 {{'prefix_lengths' needs a key that is exact but for one prefix}}
baker.table @t key(lpm "a" : i2, ternary "b" : i2) record !baker.struct<"t", v : i8> types ["u8"] size 9 limit 9 prefix_lengths [1, 2, 3] prefix_nodes [1, 2]

// -----

// expected-error @+1 {{there is no counter of drops}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] counters ["drops"] size 1 limit 1

// -----

// expected-error @+1 {{the record has no mutable i32 'packets.low'}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] counters ["packets"] size 1 limit 1

// -----

// expected-error @+1 {{the record has no mutable i32 'idle.mark'}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", idle.mark : i32> types ["u32"] idle size 1 limit 1

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f(%n: i32) {
  // expected-error @+1 {{needs counters or 'idle' of @t}}
  baker.table_count_hit @t[%n]
  return
}

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8, idle.mark : i32> types ["u8", "u32"] mutable ["idle.mark"] idle size 1 limit 1
func.func private @f(%n: i32) {
  // expected-error @+1 {{tells bytes if @t counts them}}
  baker.table_count_hit @t[%n] bytes %n
  return
}

// -----

// expected-error @+1 {{there is no meter of kind three}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] meter "three" size 1 limit 1

// -----

// expected-error @+1 {{the record has no mutable i32 'two_rate.meter'}}
baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] meter "two_rate" size 1 limit 1

// -----

baker.table @t key(exact "a" : i8) record !baker.struct<"t", v : i8> types ["u8"] size 1 limit 1
func.func private @f(%n: i32) {
  // expected-error @+1 {{needs a meter of @t}}
  %color = baker.table_color @t[%n] length %n
  return
}
