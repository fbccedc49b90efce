// Registers of one context.
//
// In eight-context mode a context owns 16 general-purpose registers in each of
// two banks and 16 transfer registers of each kind. The number of a transfer
// register names two registers: an in-register, which commands fill and
// instructions read, and an out-register, which instructions write and commands
// send. So there are four files: S in, S out, D in, D out. A command uses a
// tuple: consecutive registers that start anywhere.

class IxpReg<string name, bits<16> number> : Register<name> {
  let Namespace = "Ixp";
  let HWEncoding = number;
}

let Namespace = "Ixp" in {
foreach i = 0-15 in
  def sub#i : SubRegIndex<32, !mul(i, 32)>;
}

foreach i = 0-15 in {
  def A#i : IxpReg<"a"#i, i>;
  def B#i : IxpReg<"b"#i, i>;
  def SI#i : IxpReg<"$in"#i, i>;
  def SO#i : IxpReg<"$out"#i, i>;
  def DI#i : IxpReg<"$$in"#i, i>;
  def DO#i : IxpReg<"$$out"#i, i>;
}

class IxpClass<dag members> : RegisterClass<"Ixp", [i32], 32, members>;

def GPRA : IxpClass<(sequence "A%u", 0, 15)>;
def GPRB : IxpClass<(sequence "B%u", 0, 15)>;
// Both banks, alternating so that unconstrained values use both.
def GPR : IxpClass<(interleave GPRA, GPRB)>;

def SIN : IxpClass<(sequence "SI%u", 0, 15)>;
def SOUT : IxpClass<(sequence "SO%u", 0, 15)>;
def DIN : IxpClass<(sequence "DI%u", 0, 15)>;
def DOUT : IxpClass<(sequence "DO%u", 0, 15)>;

// The registers that a move may read and write.
def SOURCE : IxpClass<(add GPR, SIN, DIN)> { let isAllocatable = 0; }
def DEST : IxpClass<(add GPR, SOUT, DOUT)> { let isAllocatable = 0; }

// Tuples of `n` consecutive registers of a file.
class Tuple<RegisterClass file, int n>
    : RegisterTuples<!foreach(i, !range(n), !cast<SubRegIndex>("sub"#i)),
                     !foreach(i, !range(n),
                              (trunc (shl file, i), !sub(17, n)))>;

class TupleClass<dag members, int n>
    : RegisterClass<"Ixp", [untyped], 32, members> {
  let Size = !mul(32, n);
}

foreach n = 2-8 in {
  def SIN#n#"Tuples" : Tuple<SIN, n>;
  def SIN#n : TupleClass<(add !cast<RegisterTuples>("SIN"#n#"Tuples")), n>;
  def SOUT#n#"Tuples" : Tuple<SOUT, n>;
  def SOUT#n : TupleClass<(add !cast<RegisterTuples>("SOUT"#n#"Tuples")), n>;
}
// What an SRAM command reads whose count an indirect reference overrides.
def SIN15Tuples : Tuple<SIN, 15>;
def SIN15 : TupleClass<(add SIN15Tuples), 15>;
foreach n = [2, 4, 6, 8, 10, 12, 14, 16] in {
  def DIN#n#"Tuples" : Tuple<DIN, n>;
  def DIN#n : TupleClass<(add !cast<RegisterTuples>("DIN"#n#"Tuples")), n>;
  def DOUT#n#"Tuples" : Tuple<DOUT, n>;
  def DOUT#n : TupleClass<(add !cast<RegisterTuples>("DOUT"#n#"Tuples")), n>;
}
