//===- Level.h - optimization levels ---------------------------*- C++ -*-===//
//
// The levels bear the names of the paper's Table 1, and each includes those
// before it. This version distinguishes base and o1; the others are accepted
// and equal o1.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_DRIVER_LEVEL_H
#define KARAKAL_DRIVER_LEVEL_H

namespace karakal::driver {

/// What `--level` names.
enum class Level { Base, O1, O2, Pac, Soar, Phr, Swc };

/// The level's name on the command line.
const char *levelName(Level level);

/// The level whose passes really run for `level`.
inline Level effectiveLevel(Level level) {
  return level == Level::Base ? Level::Base : Level::O1;
}

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_LEVEL_H
