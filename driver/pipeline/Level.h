// Optimization levels.
//
// The levels have the names of the paper's Table 1. Each includes the levels
// before it. driver/pipeline/Pipeline.cpp lists the passes over the baker
// dialect with their first levels, driver/pipeline/LlvmStage.cpp those of LLVM.

#ifndef KARAKAL_DRIVER_PIPELINE_LEVEL_H
#define KARAKAL_DRIVER_PIPELINE_LEVEL_H

namespace karakal::driver {

/// The levels of `--level`, in ascending order.
enum class Level { Base, O1, O2, Pac, Soar, Phr, Swc };

/// Returns the level's name on the command line.
const char *levelName(Level level);

/// True if `level` includes `part`.
inline bool includes(Level level, Level part) { return level >= part; }

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_LEVEL_H
