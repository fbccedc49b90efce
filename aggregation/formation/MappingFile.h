// The part of a mapping that the user fixes.
//
// `bakerc --mapping=FILE`. One item on each line; `#` begins a comment:
//
//   aggregate front 2      an aggregate and its engines; without a number the
//                          compiler chooses
//   aggregate back 1 contexts=4 ring=sram
//                          contexts of each engine, and the kind of ring that
//                          brings its messages
//     l3_switch.l2_clsfr   a PPF of it, as module.ppf or by its symbol
//   xscale                 PPFs of the XScale core
//     l3_switch.arp
//
// The compiler maps all other PPFs.

#ifndef KARAKAL_AGGREGATION_FORMATION_MAPPINGFILE_H
#define KARAKAL_AGGREGATION_FORMATION_MAPPINGFILE_H

#include "support/Error.h"
#include <string>
#include <vector>

namespace karakal::agg {

struct MappedAggregate {
  std::string name;
  unsigned engines = 0;  ///< 0: any
  unsigned contexts = 0; ///< 0: all
  bool takesSramRing = false;
  std::vector<std::string> ppfs;
};

struct Mapping {
  std::vector<MappedAggregate> aggregates;
  std::vector<std::string> xscale;
};

/// Reads the text of a mapping file; `path` names it, and the chip has
/// `enginesMax` engines for a program. E-aggregation-001.
Result<Mapping> parseMapping(const std::string &text, const std::string &path,
                             unsigned enginesMax);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_FORMATION_MAPPINGFILE_H
