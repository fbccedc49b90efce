// Places of values, and what words write there.

#ifndef KARAKAL_CODEGEN_ME_WORDS_VARIABLES_VALUEPLACES_H
#define KARAKAL_CODEGEN_ME_WORDS_VARIABLES_VALUEPLACES_H

#include "codegen-me/words/CommandEffects.h"
#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordProgram.h"

#include <map>
#include <set>

namespace karakal::codegen {

/// The place of a register as a source names it, or none.
target::ValuePart placeOf(const target::Operand &source);
bool isGpr(const target::ValuePart &place);
/// The in-register of a place as CommandEffect has it, or 0.
XferSet xferBit(const target::ValuePart &place);

/// Whether the destination of a word is the place, or a command fills it. Kind
/// None is the destination itself, which must be a GPR.
bool makes(const Item &item, const target::ValuePart &place);

/// What words write.
struct PlaceWrites {
  GprSet gprs = 0;
  XferSet xfers = 0;
  std::set<unsigned> stackWords;

  void add(const Item &word);
  void add(const PlaceWrites &writes);
  bool include(const target::ValuePart &place) const;
};

/// What functions write, with those that they call.
class FunctionWrites {
public:
  FunctionWrites(const std::vector<Item> &items, const target::FlowGraph &graph)
      : items(items), graph(graph) {}
  /// `first` is the first item of a function.
  const PlaceWrites &of(uint32_t first);

private:
  const std::vector<Item> &items;
  const target::FlowGraph &graph;
  std::map<uint32_t, PlaceWrites> written;
};

/// Whether each item begins a run of items that are executed one after another,
/// if at all: control comes to it from elsewhere, too, or goes elsewhere, too,
/// before it.
std::vector<bool> headsOf(const target::FlowGraph &graph);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_VARIABLES_VALUEPLACES_H
