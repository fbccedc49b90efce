// Enumerations of the baker dialect and their attributes.
//
// A decision between a few choices is an enumeration, so that C++ code switches
// over it instead of comparing strings.

#ifndef KARAKAL_IR_BAKERENUMS_TD
#define KARAKAL_IR_BAKERENUMS_TD

include "ir/dialect/BakerDialect.td"
include "mlir/IR/EnumAttr.td"

class Baker_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::karakal::ir";
  let genSpecializedAttr = 0;
}

class Baker_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<BakerDialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Baker_FunctionKind : Baker_Enum<"FunctionKind", "what a function is", [
  I32EnumAttrCase<"Ppf", 0, "ppf">,
  I32EnumAttrCase<"Function", 1, "function">,
  I32EnumAttrCase<"Control", 2, "control">,
  I32EnumAttrCase<"Init", 3, "init">
]>;
def Baker_FunctionKindAttr : Baker_EnumAttr<Baker_FunctionKind, "kind"> {
  let description = [{
    `baker.kind` of a `func.func`. Example: `#baker.kind<ppf>`
  }];
}

def Baker_Core : Baker_Enum<"Core", "a processor that runs code", [
  I32EnumAttrCase<"Me", 0, "me">,
  I32EnumAttrCase<"XScale", 1, "xscale">,
  I32EnumAttrCase<"Host", 2, "host">
]>;
def Baker_CoreAttr : Baker_EnumAttr<Baker_Core, "core"> {
  let description = [{
    `baker.core` of a PPF: the microengines or the XScale core. The host runs
    whole programs for the profile; it occurs only in pass options.

    Example: `#baker.core<me>`
  }];
}

def Baker_Via : Baker_Enum<"Via", "how a channel is realized", [
  I32EnumAttrCase<"Call", 0, "call">,
  I32EnumAttrCase<"Ring", 1, "ring">
]>;
def Baker_ViaAttr : Baker_EnumAttr<Baker_Via, "via"> {
  let description = [{
    `baker.via` of a `baker.channel`. Example: `#baker.via<ring>`
  }];
}

def Baker_MemoryRequest
    : Baker_Enum<"MemoryRequest", "the memory that the source asks for", [
  I32EnumAttrCase<"Scratch", 0, "scratch">,
  I32EnumAttrCase<"Sram", 1, "sram">,
  I32EnumAttrCase<"Sram0", 2, "sram0">,
  I32EnumAttrCase<"Sram1", 3, "sram1">,
  I32EnumAttrCase<"Sram2", 4, "sram2">,
  I32EnumAttrCase<"Sram3", 5, "sram3">,
  I32EnumAttrCase<"Dram", 6, "dram">
]>;
def Baker_MemoryRequestAttr
    : Baker_EnumAttr<Baker_MemoryRequest, "memory_request"> {
  let description = [{
    `baker.placement.in` of a `baker.global`: the memory that `@place` asks for
    in the source. `sram` is any channel. Example: `#baker.memory_request<sram>`
  }];
}

// The values equal those of target::Memory.
def Baker_MemoryName : Baker_Enum<"MemoryName", "a memory", [
  I32EnumAttrCase<"Scratch", 0, "scratch">,
  I32EnumAttrCase<"Sram0", 1, "sram0">,
  I32EnumAttrCase<"Sram1", 2, "sram1">,
  I32EnumAttrCase<"Sram2", 3, "sram2">,
  I32EnumAttrCase<"Sram3", 4, "sram3">,
  I32EnumAttrCase<"Dram", 5, "dram">,
  I32EnumAttrCase<"Local", 6, "local">
]>;

def Baker_MemoryNameAttr : Baker_EnumAttr<Baker_MemoryName, "memory"> {
  let description = [{
    A memory without an address, as in `baker.cache.version`. Example:
    `#baker.memory<sram1>`
  }];
}

def Baker_PlacementAttr : AttrDef<BakerDialect, "Placement"> {
  let mnemonic = "placement";
  let summary = "where a global lies";
  let description = [{
    `baker.placement` of a `baker.global`: its memory and the byte address
    inside that memory. `local` is the local memory of each engine.

    Example: `#baker.placement<sram0 at 327680>`
  }];
  let parameters = (ins EnumParameter<Baker_MemoryName>:$memory,
                    "uint32_t":$address);
  let assemblyFormat = "`<` $memory `at` $address `>`";
  let genVerifyDecl = 1;
}

def Baker_FormationStepKind
    : Baker_Enum<"FormationStepKind", "a step of aggregate formation", [
  I32EnumAttrCase<"Merge", 0, "merge">,
  I32EnumAttrCase<"Duplicate", 1, "duplicate">,
  I32EnumAttrCase<"Refuse", 2, "refuse">,
  I32EnumAttrCase<"Relax", 3, "relax">,
  I32EnumAttrCase<"Map", 4, "map">
]>;
def Baker_FormationStepAttr : AttrDef<BakerDialect, "FormationStep"> {
  let mnemonic = "formation_step";
  let summary = "a step of aggregate formation and its reason";
  let description = [{
    An element of the list `baker.aggregates.steps` of a module: what was done
    to which aggregate or pair, and why.

    Example: `#baker.formation_step<merge "a + b" because "no engine is left">`
  }];
  let parameters = (ins EnumParameter<Baker_FormationStepKind>:$kind,
                    StringRefParameter<"the aggregate or pair">:$subject,
                    StringRefParameter<"why">:$reason);
  let assemblyFormat = "`<` $kind $subject `because` $reason `>`";
}

#endif // KARAKAL_IR_BAKERENUMS_TD
