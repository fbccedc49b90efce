// The baker dialect.
//
// The dialect that every stage of the compiler speaks. Control flow, integer
// arithmetic and functions come from upstream (`cf`, `arith`, `func`); baker
// adds what a packet program has besides: packets and their protocols,
// metadata, channels, and typed, alias-free references into global data.
//
// The decisions of later stages are discardable attributes that begin with
// `baker.`; the dialect verifies each of them, so that any stage can start
// from a text file. Their names stand in ir/dialect/Attributes.h.

#ifndef KARAKAL_IR_BAKERDIALECT_TD
#define KARAKAL_IR_BAKERDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"

def BakerDialect : Dialect {
  let name = "baker";
  let cppNamespace = "::karakal::ir";
  let summary = "Packet programs as a graph of packet processing functions";
  let description = [{
    A module holds the program's protocols, metadata fields, drop reasons,
    globals and channels as symbols, and its code as `func.func` operations.
    The attribute `baker.kind` says what a function is:

    | kind       | runs on            | may                                   |
    |------------|--------------------|---------------------------------------|
    | `ppf`      | engine or XScale   | take one packet; end its invocation   |
    | `function` | where its callers do | be called; may take packet handles  |
    | `control`  | XScale             | be called by the control file         |
    | `init`     | XScale             | run once, before packets flow         |

    A packet handle is a value of type `!baker.packet<"protocol">`. Operations
    that move the head of a packet or give the packet away end the life of
    their operand: using it later is a program error that the front end
    reports.

    Integers carry no sign; operations do, as in LLVM.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    /// Passes whose explanations are wanted; see ir/analysis/Explain.h.
    ::llvm::StringSet<> explainedPasses;
  }];
}

#endif // KARAKAL_IR_BAKERDIALECT_TD
