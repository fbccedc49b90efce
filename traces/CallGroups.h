// The written arguments of a call: each fills one parameter or several.

#ifndef KARAKAL_TRACES_CALLGROUPS_H
#define KARAKAL_TRACES_CALLGROUPS_H

#include "traces/ControlFile.h"

namespace karakal::traces {

struct IntegerType {
  bool isSigned;
  unsigned bits;
};

/// The type of a parameter, by its name.
IntegerType typeOf(const std::string &name);

/// The parameters that one written argument fills.
struct Group {
  std::string name;
  /// Indices of the parameters; -1: there is none.
  int high = -1, low = -1;
  ControlCall::Suffix suffix = ControlCall::None;
  int suffixHigh = -1, suffixLow = -1;
};

std::vector<Group> groupsOf(const ControlSignature &signature);

} // namespace karakal::traces

#endif // KARAKAL_TRACES_CALLGROUPS_H
