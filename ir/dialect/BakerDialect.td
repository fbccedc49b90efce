// The baker dialect.
//
// Every stage of the compiler uses this dialect. Control flow, integer
// arithmetic and functions come from upstream (`cf`, `arith`, `func`). The baker
// dialect adds packets and their protocols, metadata, channels, and typed,
// alias-free references into global data.
//
// The decisions of later stages are discardable attributes that begin with
// `baker.`. The dialect verifies each of them, so that any stage can start from
// a text file. ir/dialect/Attributes.h lists them.

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
    The attribute `baker.kind` gives the kind of a function:

    | kind       | runs on             | called                                |
    |------------|---------------------|---------------------------------------|
    | `ppf`      | engine or XScale    | once for each packet that it takes    |
    | `function` | core of its callers | by other functions; may take packets  |
    | `control`  | XScale              | by the control file                   |
    | `init`     | XScale              | once, before packets flow             |

    A packet handle is a value of type `!baker.packet<"protocol">`. Operations
    that move the head of a packet or give the packet away end the life of
    their operand. A later use is an error in the program, which the front end
    reports.

    Integers are signless, as in LLVM; operations are signed or unsigned.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    /// Passes that are selected for explanation; see ir/analysis/Explain.h.
    ::llvm::StringSet<> explainedPasses;
  }];
}

#endif // KARAKAL_IR_BAKERDIALECT_TD
