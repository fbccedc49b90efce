// Formats of instructions.
//
// Two general-purpose sources of one word must come from different banks. An
// instruction with such a pair is selected in its form `rr`, which names no
// bank. Bank assignment turns it into `ab` (first source in bank A) or `ba`,
// whose operand classes enforce the choice in all later passes and in the
// machine verifier. The forms `ri` and `ir` have a literal 0..255 instead of a
// register. The flags tell the emitter the kind of word sequence and its
// operation, so that it needs no table of opcodes.

// The kinds of word sequences; the numbers are those of Ixp::Kind.
class Kind<int number> { bits<8> Number = number; }
def KindNone : Kind<0>;
def KindAlu : Kind<1>;         // d = a op b
def KindAluUnary : Kind<2>;    // d = op b
def KindShift : Kind<3>;       // d = a op (b shifted)
def KindShiftUnary : Kind<4>;  // d = op (b shifted)
def KindShiftBy : Kind<5>;     // d = value shifted by register
def KindAsr : Kind<6>;         // d = value >> constant, signed
def KindAsrBy : Kind<7>;
def KindFunnel : Kind<8>;      // d = low word of (high:low) >> constant
def KindFunnelBy : Kind<9>;
def KindInsert : Kind<10>;     // ld_field
def KindExtract : Kind<11>;    // ld_field_w_clr
def KindImmediate : Kind<12>;
def KindMul : Kind<13>;
def KindMulFull : Kind<14>;
def KindPop : Kind<15>;
def KindFfs : Kind<16>;
def KindWide : Kind<17>;       // 64-bit add or subtract
def KindBranchCompare : Kind<18>;
def KindBranchBit : Kind<19>;
def KindBranchByte : Kind<20>;
def KindBranch : Kind<21>;
def KindSetCompare : Kind<22>;
def KindSelectCompare : Kind<23>;
def KindCall : Kind<24>;
def KindReturn : Kind<25>;
def KindFrameLoad : Kind<26>;
def KindFrameStore : Kind<27>;
def KindFrameAddress : Kind<28>;
def KindLocalLoad : Kind<29>;
def KindLocalStore : Kind<30>;
def KindCommand : Kind<31>;
def KindSwap : Kind<32>;
def KindCsrRead : Kind<33>;
def KindCsrWrite : Kind<34>;
def KindHalt : Kind<35>;
def KindRingStatus : Kind<36>;
def KindMove : Kind<37>;
def KindArgumentStore : Kind<38>;
def KindBranchCompareWide : Kind<39>;
def KindSetCompareWide : Kind<40>;
def KindExchange : Kind<41>;   // a command that sends and receives $0
def KindHash : Kind<42>;
def KindWriteMasked : Kind<43>;
def KindCam : Kind<44>;
def KindCrc : Kind<45>;
def KindOnesAdd : Kind<46>;    // d = a + b, and the carry
def KindNeighbour : Kind<47>;  // the next-neighbour ring
def KindByteAlign : Kind<48>;  // n words from byte i on of n + 1 words
def KindBarrier : Kind<49>;    // no words; memory is read again after it

class IxpInst<Kind kind, dag outs, dag ins, list<dag> pattern = []>
    : Instruction {
  let Namespace = "Ixp";
  let OutOperandList = outs;
  let InOperandList = ins;
  let Pattern = pattern;
  let AsmString = "";
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;
  let Size = 4;

  // Operation within the kind.
  bits<6> Operation = 0;
  // Operand numbers of the two sources that must not share a bank.
  bits<4> PairFirst = 0;
  bits<4> PairSecond = 0;
  // Distance from the first pair to a second one, 0 if there is none.
  bits<2> PairStep = 0;

  // Keys of the map from rr to ab and ba.
  string Base = "";
  string Form = "";

  let TSFlags{7-0} = kind.Number;
  let TSFlags{13-8} = Operation;
  let TSFlags{17-14} = PairFirst;
  let TSFlags{21-18} = PairSecond;
  let TSFlags{23-22} = PairStep;
}

def formAB : InstrMapping {
  let FilterClass = "IxpInst";
  let RowFields = ["Base"];
  let ColFields = ["Form"];
  let KeyCol = ["rr"];
  let ValueCols = [["ab"]];
}
def formBA : InstrMapping {
  let FilterClass = "IxpInst";
  let RowFields = ["Base"];
  let ColFields = ["Form"];
  let KeyCol = ["rr"];
  let ValueCols = [["ba"]];
}

// A literal that fits a 10-bit operand field.
def u8 : Operand<i32>, ImmLeaf<i32, [{ return isUInt<8>(Imm); }]>;
// A literal whose negation fits.
def minusU8 : ImmLeaf<i32, [{ return isUInt<8>(-Imm); }]>;
def minusValue : SDNodeXForm<imm, [{
  return CurDAG->getTargetConstant(-N->getSExtValue(), SDLoc(N), MVT::i32);
}]>;
// A literal whose complement fits.
def notU8 : ImmLeaf<i32, [{ return isUInt<8>(~Imm); }]>;
def notValue : SDNodeXForm<imm, [{
  return CurDAG->getTargetConstant(~N->getSExtValue(), SDLoc(N), MVT::i32);
}]>;
// A constant shift amount.
def u5 : ImmLeaf<i32, [{ return Imm > 0 && Imm < 32; }]>;
