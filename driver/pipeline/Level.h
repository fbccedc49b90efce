// Optimization levels.
//
// The levels bear the names of the paper's Table 1, and each includes those
// before it. What runs from which level on stands in
// driver/pipeline/Pipeline.cpp for passes over the baker dialect, in
// driver/pipeline/LlvmStage.cpp for LLVM's.

#ifndef KARAKAL_DRIVER_PIPELINE_LEVEL_H
#define KARAKAL_DRIVER_PIPELINE_LEVEL_H

namespace karakal::driver {

/// What `--level` names, in ascending order.
enum class Level { Base, O1, O2, Pac, Soar, Phr, Swc };

/// The level's name on the command line.
const char *levelName(Level level);

/// True if `level` includes `part`.
inline bool includes(Level level, Level part) { return level >= part; }

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_LEVEL_H
