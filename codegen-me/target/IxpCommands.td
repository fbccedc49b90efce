// Memory commands.
//
// A command names its unit and operation by an immediate (Ixp::Command) and
// adds two address operands: two registers of different banks, or a register
// and a literal 0..127. Selection yields CIN/COUT, whose data are separate
// general-purpose values. Before register allocation, CommandExpansion.cpp
// replaces them by a tuple of transfer registers (TIN/TOUT), and
// TransferAllocation.cpp chooses its registers. Until words are emitted, a
// command behaves as if it completed at issue: its registers are live from
// issue, because the hardware may move their words from then on.
// WaitPlacement.cpp inserts the waits.

// n words as n values: GPR:$p0, GPR:$p1, ...
class Values<string p, int n> {
  list<RegisterClass> classes = !foreach(i, !range(n), GPR);
  list<string> names = !foreach(i, !range(n), p#i);
  dag results = !dag(outs, classes, names);
  dag operands = !dag(ins, classes, names);
}

foreach n = 1-16 in {
  let hasSideEffects = 1, mayLoad = 1 in {
    def CIN#n#rr : IxpInst<KindCommand, Values<"d", n>.results,
                           (ins i32imm:$command, GPR:$x, GPR:$y)>;
    def CIN#n#ri : IxpInst<KindCommand, Values<"d", n>.results,
                           (ins i32imm:$command, GPR:$x, i32imm:$y)>;
  }
  let hasSideEffects = 1, mayStore = 1 in {
    def COUT#n#rr : IxpInst<KindCommand, (outs),
        !con((ins i32imm:$command, GPR:$x, GPR:$y),
             Values<"s", n>.operands)>;
    def COUT#n#ri : IxpInst<KindCommand, (outs),
        !con((ins i32imm:$command, GPR:$x, i32imm:$y),
             Values<"s", n>.operands)>;
  }
}

// Operands: command, x, y[, tuple]; a tuple that is a result comes first.
multiclass Addressed<dag outs, dag tuple, bits<4> first> {
  let PairFirst = first, PairSecond = !add(first, 1), Base = NAME,
      isCommutable = 1 in {
    let Form = "rr" in
    def rr : IxpInst<KindCommand, outs,
                     !con((ins i32imm:$command, GPR:$x, GPR:$y), tuple)>;
    let Form = "ab" in
    def ab : IxpInst<KindCommand, outs,
                     !con((ins i32imm:$command, GPRA:$x, GPRB:$y), tuple)>;
    let Form = "ba" in
    def ba : IxpInst<KindCommand, outs,
                     !con((ins i32imm:$command, GPRB:$x, GPRA:$y), tuple)>;
  }
  def ri : IxpInst<KindCommand, outs,
                   !con((ins i32imm:$command, GPR:$x, i32imm:$y), tuple)>;
}

let hasSideEffects = 1 in {
defm TNONE : Addressed<(outs), (ins), 1>;
foreach n = 1-8 in {
  defvar s = !if(!eq(n, 1), "", ""#n);
  let mayLoad = 1 in
  defm TINS#n : Addressed<(outs !cast<RegisterClass>("SIN"#s):$tuple), (ins), 2>;
  let mayStore = 1 in
  defm TOUTS#n : Addressed<(outs),
                           (ins !cast<RegisterClass>("SOUT"#s):$tuple), 1>;
}
let mayLoad = 1 in
defm TINS15 : Addressed<(outs SIN15:$tuple), (ins), 2>;
foreach n = [2, 4, 6, 8, 10, 12, 14, 16] in {
  let mayLoad = 1 in
  defm TIND#n : Addressed<(outs !cast<RegisterClass>("DIN"#n):$tuple), (ins), 2>;
  let mayStore = 1 in
  defm TOUTD#n : Addressed<(outs),
                           (ins !cast<RegisterClass>("DOUT"#n):$tuple), 1>;
}
}

//===-- Exchange of a word in memory --------------------------------------===//
// The word and the old value use the in- and the out-register of one number.
// No tuple can express this, so the command uses $0 with moves next to it.

let hasSideEffects = 1, mayLoad = 1, mayStore = 1 in {
def CSWAPrr : IxpInst<KindExchange, (outs GPR:$d),
                      (ins i32imm:$command, GPR:$x, GPR:$y, GPR:$s)>;
def CSWAPri : IxpInst<KindExchange, (outs GPR:$d),
                      (ins i32imm:$command, GPR:$x, i32imm:$y, GPR:$s)>;
let Uses = [SO0], Defs = [SI0], PairFirst = 1, PairSecond = 2,
    Base = "TSWAP" in {
  let Form = "rr" in
  def TSWAPrr : IxpInst<KindExchange, (outs),
                        (ins i32imm:$command, GPR:$x, GPR:$y)>;
  let Form = "ab" in
  def TSWAPab : IxpInst<KindExchange, (outs),
                        (ins i32imm:$command, GPRA:$x, GPRB:$y)>;
  let Form = "ba" in
  def TSWAPba : IxpInst<KindExchange, (outs),
                        (ins i32imm:$command, GPRB:$x, GPRA:$y)>;
}
let Uses = [SO0], Defs = [SI0] in
def TSWAPri : IxpInst<KindExchange, (outs),
                      (ins i32imm:$command, GPR:$x, i32imm:$y)>;
foreach n = [2, 4] in {
  def CHASH#n : IxpInst<KindHash, Values<"d", n>.results,
      !con((ins i32imm:$command), Values<"s", n>.operands)>;
  let Uses = !foreach(i, !range(n), !cast<Register>("SO"#i)),
      Defs = !foreach(i, !range(n), !cast<Register>("SI"#i)) in
  def THASH#n : IxpInst<KindHash, (outs), (ins i32imm:$command)>;
}
}

//===-- Write of a pair of words with a byte mask -------------------------===//
// `over` is the word of the indirect reference, a register or a literal.

let hasSideEffects = 1, mayStore = 1 in {
def CMASKrr : IxpInst<KindWriteMasked, (outs),
    (ins i32imm:$command, GPR:$x, GPR:$y, GPR:$s0, GPR:$s1, GPR:$over)>;
def CMASKri : IxpInst<KindWriteMasked, (outs),
    (ins i32imm:$command, GPR:$x, i32imm:$y, GPR:$s0, GPR:$s1, GPR:$over)>;
def CMASKIrr : IxpInst<KindWriteMasked, (outs),
    (ins i32imm:$command, GPR:$x, GPR:$y, GPR:$s0, GPR:$s1, i32imm:$over)>;
def CMASKIri : IxpInst<KindWriteMasked, (outs),
    (ins i32imm:$command, GPR:$x, i32imm:$y, GPR:$s0, GPR:$s1, i32imm:$over)>;
multiclass Masked<dag over> {
  let PairFirst = 1, PairSecond = 2, Base = NAME in {
    let Form = "rr" in
    def rr : IxpInst<KindWriteMasked, (outs), !con(
        (ins i32imm:$command, GPR:$x, GPR:$y, DOUT2:$tuple), over)>;
    let Form = "ab" in
    def ab : IxpInst<KindWriteMasked, (outs), !con(
        (ins i32imm:$command, GPRA:$x, GPRB:$y, DOUT2:$tuple), over)>;
    let Form = "ba" in
    def ba : IxpInst<KindWriteMasked, (outs), !con(
        (ins i32imm:$command, GPRB:$x, GPRA:$y, DOUT2:$tuple), over)>;
  }
  def ri : IxpInst<KindWriteMasked, (outs), !con(
      (ins i32imm:$command, GPR:$x, i32imm:$y, DOUT2:$tuple), over)>;
}
defm TMASK : Masked<(ins GPR:$over)>;
defm TMASKI : Masked<(ins i32imm:$over)>;
}
