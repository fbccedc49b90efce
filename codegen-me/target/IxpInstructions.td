// Arithmetic and control instructions.
//
// All instructions except the memory commands (IxpCommands.td). The condition
// codes of compares, selects and 64-bit arithmetic stay inside one instruction.

//===-- alu ---------------------------------------------------------------===//
// Operation numbers: Ixp::AluOperation.

multiclass Alu<bits<6> operation, SDPatternOperator node, bit commutes> {
  let Operation = operation, isCommutable = commutes, PairFirst = 1,
      PairSecond = 2, Base = NAME in {
    let Form = "rr" in
    def rr : IxpInst<KindAlu, (outs GPR:$d), (ins GPR:$a, GPR:$b),
                     [(set i32:$d, (node i32:$a, i32:$b))]>;
    let Form = "ab" in
    def ab : IxpInst<KindAlu, (outs GPR:$d), (ins GPRA:$a, GPRB:$b)>;
    let Form = "ba" in
    def ba : IxpInst<KindAlu, (outs GPR:$d), (ins GPRB:$a, GPRA:$b)>;
  }
  let Operation = operation in
  def ri : IxpInst<KindAlu, (outs GPR:$d), (ins GPR:$a, u8:$b),
                   [(set i32:$d, (node i32:$a, u8:$b))]>;
}

def andNot : PatFrag<(ops node:$a, node:$b), (and node:$a, (not node:$b))>;

defm ADD : Alu<0, add, 1>;
defm SUB : Alu<1, sub, 0>;
defm AND : Alu<2, and, 1>;
defm OR : Alu<3, or, 1>;
defm XOR : Alu<4, xor, 1>;
defm ANDN : Alu<5, andNot, 0>;
let Operation = 1 in
def SUBir : IxpInst<KindAlu, (outs GPR:$d), (ins u8:$a, GPR:$b),
                    [(set i32:$d, (sub u8:$a, i32:$b))]>;
// a + (b & 0xffff), a + (b & 0xff)
defm ADD16 : Alu<6, null_frag, 0>;
defm ADD8 : Alu<7, null_frag, 0>;

def : Pat<(add i32:$a, minusU8:$b), (SUBri $a, (minusValue imm:$b))>;
def : Pat<(and i32:$a, notU8:$b), (ANDNri $a, (notValue imm:$b))>;
let AddedComplexity = 5 in {
def : Pat<(add i32:$a, (and i32:$b, 0xffff)), (ADD16rr $a, $b)>;
def : Pat<(add i32:$a, (and i32:$b, 0xff)), (ADD8rr $a, $b)>;
}

let Operation = 1 in
def NOT : IxpInst<KindAluUnary, (outs GPR:$d), (ins GPR:$b),
                  [(set i32:$d, (not i32:$b))]>;

// A move between any two register files.
let isMoveReg = 1, isAsCheapAsAMove = 1 in
def MOVE : IxpInst<KindMove, (outs DEST:$d), (ins SOURCE:$b)>;

// Loads a constant in one or two words.
let isReMaterializable = 1, isAsCheapAsAMove = 1, isMoveImm = 1 in
def LI : IxpInst<KindImmediate, (outs GPR:$d), (ins i32imm:$value),
                 [(set i32:$d, imm:$value)]>;

//===-- alu_shf -----------------------------------------------------------===//
// The b operand of a logical operation passes the shifter, with a kind
// (Ixp::Shifter) and an amount.

def shifted : ComplexPattern<i32, 3, "selectShifted", [shl, srl, rotr, rotl]>;

multiclass Shf<bits<6> operation, PatFrag node> {
  let Operation = operation, PairFirst = 1, PairSecond = 2, Base = NAME in {
    let Form = "rr" in
    def rr : IxpInst<KindShift, (outs GPR:$d),
                     (ins GPR:$a, GPR:$b, i32imm:$shift, i32imm:$amount)>;
    let Form = "ab" in
    def ab : IxpInst<KindShift, (outs GPR:$d),
                     (ins GPRA:$a, GPRB:$b, i32imm:$shift, i32imm:$amount)>;
    let Form = "ba" in
    def ba : IxpInst<KindShift, (outs GPR:$d),
                     (ins GPRB:$a, GPRA:$b, i32imm:$shift, i32imm:$amount)>;
  }
  let Operation = operation in
  def ir : IxpInst<KindShift, (outs GPR:$d),
                   (ins u8:$a, GPR:$b, i32imm:$shift, i32imm:$amount)>;
  let AddedComplexity = 20 in {
    def : Pat<(node i32:$a, (shifted i32:$b, i32:$shift, i32:$amount)),
              (!cast<Instruction>(NAME#"rr") $a, $b, $shift, $amount)>;
  }
}

def plainAnd : PatFrag<(ops node:$a, node:$b), (and node:$a, node:$b)>;
def plainOr : PatFrag<(ops node:$a, node:$b), (or node:$a, node:$b)>;
def notAnd : PatFrag<(ops node:$a, node:$b), (and (not node:$a), node:$b)>;
defm SHFAND : Shf<2, plainAnd>;
defm SHFNAND : Shf<3, notAnd>;
defm SHFANDN : Shf<4, andNot>;
defm SHFOR : Shf<5, plainOr>;
let AddedComplexity = 22 in {
def : Pat<(and (shifted i32:$b, i32:$shift, i32:$amount), u8:$a),
          (SHFANDir (i32 imm:$a), $b, $shift, $amount)>;
def : Pat<(or (shifted i32:$b, i32:$shift, i32:$amount), u8:$a),
          (SHFORir (i32 imm:$a), $b, $shift, $amount)>;
}

let Operation = 0 in
def SHF : IxpInst<KindShiftUnary, (outs GPR:$d),
                  (ins GPR:$b, i32imm:$shift, i32imm:$amount)>;
let Operation = 1 in
def SHFNOT : IxpInst<KindShiftUnary, (outs GPR:$d),
                     (ins GPR:$b, i32imm:$shift, i32imm:$amount)>;
def : Pat<(not (shifted i32:$b, i32:$shift, i32:$amount)),
          (SHFNOT $b, $shift, $amount)>;
def : Pat<(shl i32:$b, u5:$n), (SHF $b, 2, (i32 imm:$n))>;
def : Pat<(srl i32:$b, u5:$n), (SHF $b, 1, (i32 imm:$n))>;
def : Pat<(rotr i32:$b, u5:$n), (SHF $b, 3, (i32 imm:$n))>;

// Shifts by a register. The amount is the a operand of the previous word and so
// must be in bank A.
let Operation = 2 in
def SHLBY : IxpInst<KindShiftBy, (outs GPR:$d), (ins GPR:$v, GPRA:$n),
                    [(set i32:$d, (shl i32:$v, i32:$n))]>;
let Operation = 1 in
def SHRBY : IxpInst<KindShiftBy, (outs GPR:$d), (ins GPR:$v, GPRA:$n),
                    [(set i32:$d, (srl i32:$v, i32:$n))]>;
def ASRBY : IxpInst<KindAsrBy, (outs GPR:$d), (ins GPRB:$v, GPRA:$n),
                    [(set i32:$d, (sra i32:$v, i32:$n))]>;
def ASR : IxpInst<KindAsr, (outs GPR:$d), (ins GPR:$v, i32imm:$n),
                  [(set i32:$d, (sra i32:$v, u5:$n))]>;

multiclass Funnel<Kind kind, dag amount> {
  let PairFirst = 1, PairSecond = 2, Base = NAME in {
    let Form = "rr" in
    def rr : IxpInst<kind, (outs GPR:$d),
                     !con((ins GPR:$high, GPR:$low), amount)>;
    let Form = "ab" in
    def ab : IxpInst<kind, (outs GPR:$d),
                     !con((ins GPRA:$high, GPRB:$low), amount)>;
    let Form = "ba" in
    def ba : IxpInst<kind, (outs GPR:$d),
                     !con((ins GPRB:$high, GPRA:$low), amount)>;
  }
}
defm FUNNEL : Funnel<KindFunnel, (ins i32imm:$n)>;
defm FUNNELBY : Funnel<KindFunnelBy, (ins GPRA:$n)>;
def : Pat<(fshr i32:$h, i32:$l, u5:$n), (FUNNELrr $h, $l, (i32 imm:$n))>;
def : Pat<(fshr i32:$h, i32:$l, i32:$n), (FUNNELBYrr $h, $l, $n)>;

//===-- ld_field ----------------------------------------------------------===//

let Constraints = "$d = $keep", PairFirst = 1, PairSecond = 2,
    Base = "INSERT" in {
  let Form = "rr" in
  def INSERTrr : IxpInst<KindInsert, (outs GPR:$d),
      (ins GPR:$keep, GPR:$b, i32imm:$mask, i32imm:$shift, i32imm:$amount)>;
  let Form = "ab" in
  def INSERTab : IxpInst<KindInsert, (outs GPRA:$d),
      (ins GPRA:$keep, GPRB:$b, i32imm:$mask, i32imm:$shift, i32imm:$amount)>;
  let Form = "ba" in
  def INSERTba : IxpInst<KindInsert, (outs GPRB:$d),
      (ins GPRB:$keep, GPRA:$b, i32imm:$mask, i32imm:$shift, i32imm:$amount)>;
}
// ld_field_w_clr also reads its destination and ignores the value. So the
// destination and the field's source must be in different banks.
let PairFirst = 0, PairSecond = 1, Base = "EXTRACT" in {
  let Form = "rr" in
  def EXTRACTrr : IxpInst<KindExtract, (outs GPR:$d),
      (ins GPR:$b, i32imm:$mask, i32imm:$shift, i32imm:$amount)>;
  let Form = "ab" in
  def EXTRACTab : IxpInst<KindExtract, (outs GPRA:$d),
      (ins GPRB:$b, i32imm:$mask, i32imm:$shift, i32imm:$amount)>;
  let Form = "ba" in
  def EXTRACTba : IxpInst<KindExtract, (outs GPRB:$d),
      (ins GPRA:$b, i32imm:$mask, i32imm:$shift, i32imm:$amount)>;
}

//===-- multiply, count ---------------------------------------------------===//

// Operation: 0 factors of 32 bits, 1 both of 16 bits, 2 of 24 and 8 bits.
multiclass Mul<bits<6> operation, SDPatternOperator node, bit commutes> {
  let Operation = operation, isCommutable = commutes, PairFirst = 1,
      PairSecond = 2, Base = NAME in {
    let Form = "rr" in
    def rr : IxpInst<KindMul, (outs GPR:$d), (ins GPR:$a, GPR:$b),
                     [(set i32:$d, (node i32:$a, i32:$b))]>;
    let Form = "ab" in
    def ab : IxpInst<KindMul, (outs GPR:$d), (ins GPRA:$a, GPRB:$b)>;
    let Form = "ba" in
    def ba : IxpInst<KindMul, (outs GPR:$d), (ins GPRB:$a, GPRA:$b)>;
  }
}
defm MUL : Mul<0, mul, 1>;
defm MUL16 : Mul<1, null_frag, 1>;
defm MUL24 : Mul<2, null_frag, 0>;
let Operation = 2 in
def MUL24ri : IxpInst<KindMul, (outs GPR:$d), (ins GPR:$a, u8:$b)>;
let isCommutable = 1, PairFirst = 2, PairSecond = 3, Base = "MULFULL" in {
  let Form = "rr" in
  def MULFULLrr : IxpInst<KindMulFull, (outs GPR:$lo, GPR:$hi),
                          (ins GPR:$a, GPR:$b)>;
  let Form = "ab" in
  def MULFULLab : IxpInst<KindMulFull, (outs GPR:$lo, GPR:$hi),
                          (ins GPRA:$a, GPRB:$b)>;
  let Form = "ba" in
  def MULFULLba : IxpInst<KindMulFull, (outs GPR:$lo, GPR:$hi),
                          (ins GPRB:$a, GPRA:$b)>;
}
def POP : IxpInst<KindPop, (outs GPR:$d), (ins GPR:$b),
                  [(set i32:$d, (ctpop i32:$b))]>;
def FFS : IxpInst<KindFfs, (outs GPR:$d), (ins GPR:$b),
                  [(set i32:$d, (cttz_zero_undef i32:$b))]>;

//===-- 64-bit add, subtract ----------------------------------------------===//

multiclass Wide<bits<6> operation> {
  let Operation = operation, Constraints = "@earlyclobber $lo" in {
    let Form = "rr", PairFirst = 2, PairSecond = 4, PairStep = 1,
        Base = NAME in
    def rr : IxpInst<KindWide, (outs GPR:$lo, GPR:$hi),
                     (ins GPR:$al, GPR:$ah, GPR:$bl, GPR:$bh)>;
    let Form = "ab", Base = NAME in
    def ab : IxpInst<KindWide, (outs GPR:$lo, GPR:$hi),
                     (ins GPRA:$al, GPRA:$ah, GPRB:$bl, GPRB:$bh)>;
    let Form = "ba", Base = NAME in
    def ba : IxpInst<KindWide, (outs GPR:$lo, GPR:$hi),
                     (ins GPRB:$al, GPRB:$ah, GPRA:$bl, GPRA:$bh)>;
    def ri : IxpInst<KindWide, (outs GPR:$lo, GPR:$hi),
                     (ins GPR:$al, GPR:$ah, i32imm:$bl, i32imm:$bh)>;
  }
}
defm ADDWIDE : Wide<0>;
defm SUBWIDE : Wide<1>;

//===-- ones-complement add (RFC 1071) ------------------------------------===//

let PairFirst = 1, PairSecond = 2, Base = "ONESADD" in {
  let Form = "rr" in
  def ONESADDrr : IxpInst<KindOnesAdd, (outs GPR:$d), (ins GPR:$a, GPR:$b)>;
  let Form = "ab" in
  def ONESADDab : IxpInst<KindOnesAdd, (outs GPR:$d), (ins GPRA:$a, GPRB:$b)>;
  let Form = "ba" in
  def ONESADDba : IxpInst<KindOnesAdd, (outs GPR:$d), (ins GPRB:$a, GPRA:$b)>;
}

//===-- byte_align --------------------------------------------------------===//
// d0 to d(n-1) from w0 to wn. Results are early-clobber because sources are
// read after the first result is written.
// Operation: 0 big-endian, 1 little-endian.

class ByteAlign<int n, bits<6> operation>
    : IxpInst<KindByteAlign,
              !dag(outs, !listsplat(GPR, n), !foreach(i, !range(n), "d" # i)),
              !con((ins GPR:$index),
                   !dag(ins, !listsplat(GPR, !add(n, 1)),
                        !foreach(i, !range(!add(n, 1)), "w" # i)))> {
  let Operation = operation;
  let hasSideEffects = 1;
  let Constraints = !interleave(
      !foreach(i, !range(n), "@earlyclobber $d" # i), ",");
}
foreach n = 1...8 in {
  def BYTEALIGNBE#n : ByteAlign<n, 0>;
  def BYTEALIGNLE#n : ByteAlign<n, 1>;
}

//===-- compare -----------------------------------------------------------===//
// Conditions: Ixp::Condition. The compared operands come first in all three
// kinds.

multiclass Compare<Kind kind, dag outs, dag more, bits<4> first,
                   string constraints = ""> {
  let Constraints = constraints in {
    let PairFirst = first, PairSecond = !add(first, 1), Base = NAME in {
      let Form = "rr" in
      def rr : IxpInst<kind, outs,
                       !con((ins GPR:$a, GPR:$b, i32imm:$cc), more)>;
      let Form = "ab" in
      def ab : IxpInst<kind, outs,
                       !con((ins GPRA:$a, GPRB:$b, i32imm:$cc), more)>;
      let Form = "ba" in
      def ba : IxpInst<kind, outs,
                       !con((ins GPRB:$a, GPRA:$b, i32imm:$cc), more)>;
    }
    def ri : IxpInst<kind, outs,
                     !con((ins GPR:$a, i32imm:$b, i32imm:$cc), more)>;
    def ir : IxpInst<kind, outs,
                     !con((ins i32imm:$a, GPR:$b, i32imm:$cc), more)>;
  }
}

def target : Operand<OtherVT>;
let isBranch = 1, isTerminator = 1 in {
  defm BRCC : Compare<KindBranchCompare, (outs), (ins target:$t), 0>;
  let Operation = 1 in
  def BRSET : IxpInst<KindBranchBit, (outs),
                      (ins GPR:$a, i32imm:$bit, target:$t)>;
  let Operation = 0 in
  def BRCLR : IxpInst<KindBranchBit, (outs),
                      (ins GPR:$a, i32imm:$bit, target:$t)>;
  let Operation = 1 in
  def BRBYTE : IxpInst<KindBranchByte, (outs),
                       (ins GPR:$a, i32imm:$n, i32imm:$value, target:$t)>;
  let Operation = 0 in
  def BRNBYTE : IxpInst<KindBranchByte, (outs),
                        (ins GPR:$a, i32imm:$n, i32imm:$value, target:$t)>;
  let isBarrier = 1 in
  def BR : IxpInst<KindBranch, (outs), (ins target:$t), [(br bb:$t)]>;
}
defm SETCC : Compare<KindSetCompare, (outs GPR:$d), (ins), 1>;
// $d keeps $then if the condition holds; otherwise it becomes $else.
defm SELCC : Compare<KindSelectCompare, (outs GPR:$d),
                     (ins GPR:$then, GPR:$else), 1, "$d = $then">;
defm SELCCI : Compare<KindSelectCompare, (outs GPR:$d),
                      (ins GPR:$then, i32imm:$else), 1, "$d = $then">;

// 64-bit compares for order (not equality), with low and high words.
multiclass CompareWide<Kind kind, dag outs, dag more, bits<4> first> {
  let Form = "rr", PairFirst = first, PairSecond = !add(first, 2),
      PairStep = 1, Base = NAME in
  def rr : IxpInst<kind, outs, !con((ins GPR:$al, GPR:$ah, GPR:$bl, GPR:$bh,
                                         i32imm:$cc), more)>;
  let Form = "ab", Base = NAME in
  def ab : IxpInst<kind, outs, !con((ins GPRA:$al, GPRA:$ah, GPRB:$bl,
                                         GPRB:$bh, i32imm:$cc), more)>;
  let Form = "ba", Base = NAME in
  def ba : IxpInst<kind, outs, !con((ins GPRB:$al, GPRB:$ah, GPRA:$bl,
                                         GPRA:$bh, i32imm:$cc), more)>;
}
let isBranch = 1, isTerminator = 1 in
defm BRCCWIDE : CompareWide<KindBranchCompareWide, (outs), (ins target:$t), 0>;
defm SETCCWIDE : CompareWide<KindSetCompareWide, (outs GPR:$d), (ins), 1>;

//===-- calls -------------------------------------------------------------===//

// The return address is in a0.
let isCall = 1, Defs = [A0] in
def CALL : IxpInst<KindCall, (outs), (ins i32imm:$callee, variable_ops)>;
let isReturn = 1, isTerminator = 1, isBarrier = 1 in
def RET : IxpInst<KindReturn, (outs), (ins GPR:$address, variable_ops)>;

def callStart : SDNode<"ISD::CALLSEQ_START",
                       SDCallSeqStart<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>,
                       [SDNPHasChain, SDNPOutGlue]>;
def callEnd : SDNode<"ISD::CALLSEQ_END",
                     SDCallSeqEnd<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>,
                     [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue]>;
let hasSideEffects = 1 in {
def ADJCALLSTACKDOWN : IxpInst<KindNone, (outs), (ins i32imm:$a, i32imm:$b),
                               [(callStart timm:$a, timm:$b)]>;
def ADJCALLSTACKUP : IxpInst<KindNone, (outs), (ins i32imm:$a, i32imm:$b),
                             [(callEnd timm:$a, timm:$b)]>;
}

//===-- stack and local memory --------------------------------------------===//

// A frame operand is a frame index (a literal after frame layout) and a byte
// offset within that object.
let mayLoad = 1 in
def FRAMELOAD : IxpInst<KindFrameLoad, (outs DEST:$d),
                        (ins i32imm:$frame, i32imm:$offset)>;
let mayStore = 1 in
def FRAMESTORE : IxpInst<KindFrameStore, (outs),
                         (ins SOURCE:$b, i32imm:$frame, i32imm:$offset)>;
def FRAMEADDRESS : IxpInst<KindFrameAddress, (outs GPR:$d),
                           (ins i32imm:$frame, i32imm:$offset)>;
// A word of the callee's incoming arguments.
let mayStore = 1 in
def ARGUMENTSTORE : IxpInst<KindArgumentStore, (outs),
                            (ins GPR:$b, i32imm:$callee, i32imm:$offset)>;
// Accesses through a pointer. The bits of the byte offset are 0 in the pointer.
let mayLoad = 1 in
def LOCALLOAD : IxpInst<KindLocalLoad, (outs GPR:$d),
                        (ins GPR:$address, i32imm:$offset)>;
let mayStore = 1 in
def LOCALSTORE : IxpInst<KindLocalStore, (outs),
                         (ins GPR:$b, GPR:$address, i32imm:$offset)>;

//===-- CAM, CRC ----------------------------------------------------------===//
// Operation: Ixp::CamOperation.

let hasSideEffects = 1 in {
let Operation = 0 in
def CAMLOOKUP : IxpInst<KindCam, (outs GPR:$d), (ins GPR:$tag)>;
let Operation = 1 in
def CAMLOOKUPLINE : IxpInst<KindCam, (outs GPR:$d, GPR:$line),
                            (ins GPR:$tag)>;
let Operation = 2 in {
  let PairFirst = 0, PairSecond = 1, Base = "CAMWRITE" in {
    let Form = "rr" in
    def CAMWRITErr : IxpInst<KindCam, (outs),
                             (ins GPR:$entry, GPR:$tag, i32imm:$state)>;
    let Form = "ab" in
    def CAMWRITEab : IxpInst<KindCam, (outs),
                             (ins GPRA:$entry, GPRB:$tag, i32imm:$state)>;
    let Form = "ba" in
    def CAMWRITEba : IxpInst<KindCam, (outs),
                             (ins GPRB:$entry, GPRA:$tag, i32imm:$state)>;
  }
  def CAMWRITEir : IxpInst<KindCam, (outs),
                           (ins i32imm:$entry, GPR:$tag, i32imm:$state)>;
}
let Operation = 3 in
def CAMWRITESTATE : IxpInst<KindCam, (outs),
                            (ins GPR:$entry, i32imm:$state)>;
let Operation = 4 in
def CAMREADTAG : IxpInst<KindCam, (outs GPR:$d), (ins GPR:$entry)>;
let Operation = 5 in
def CAMREADSTATE : IxpInst<KindCam, (outs GPR:$d), (ins GPR:$entry)>;
let Operation = 6 in
def CAMCLEAR : IxpInst<KindCam, (outs), (ins)>;
let Operation = 0 in
def CRCSTART : IxpInst<KindCrc, (outs), (ins GPR:$remainder)>;
let Operation = 1 in
def CRC : IxpInst<KindCrc, (outs), (ins i32imm:$parameters, GPR:$b)>;
let Operation = 2 in
def CRCEND : IxpInst<KindCrc, (outs GPR:$d), (ins)>;
}

//===-- control -----------------------------------------------------------===//

let hasSideEffects = 1 in {
def SWAP : IxpInst<KindSwap, (outs), (ins i32imm:$signal)>; // 0: none
def BARRIER : IxpInst<KindBarrier, (outs), (ins)>;
// What the paths through its block do (prepare/PathMarks.h): no words.
let Size = 0 in
def PATHMARK : IxpInst<KindBarrier, (outs), (ins i32imm:$kind, i32imm:$n)>;
def CSRREAD : IxpInst<KindCsrRead, (outs GPR:$d), (ins i32imm:$csr)>;
def CSRWRITE : IxpInst<KindCsrWrite, (outs), (ins i32imm:$csr, GPR:$b)>;
def RINGSTATUS : IxpInst<KindRingStatus, (outs GPR:$d), (ins i32imm:$state)>;
def NEIGHBOURGET : IxpInst<KindNeighbour, (outs GPR:$d), (ins)>;
let Operation = 1 in
def NEIGHBOURPUT : IxpInst<KindNeighbour, (outs), (ins GPR:$b)>;
let isTerminator = 1, isBarrier = 1 in
def HALT : IxpInst<KindHalt, (outs), (ins)>;
let Operation = 1 in
def TRAP : IxpInst<KindHalt, (outs), (ins), [(trap)]>;
}
