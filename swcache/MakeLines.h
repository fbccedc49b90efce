// Loads of elements that lines keep.

#ifndef KARAKAL_SWCACHE_MAKELINES_H
#define KARAKAL_SWCACHE_MAKELINES_H

#include "swcache/Caches.h"
#include "swcache/EmitCacheCode.h"

namespace karakal::swcache {

/// Moves `load` in front of its first use: asked for one after the other,
/// elements overlap no more, and their words need registers only from there on.
/// Before any load is made to ask: a question and its answer stay together.
void sinkToUse(mlir::Operation *load);

/// Makes `load`, of the element `element` of an array, read the line that has
/// it; where none has, one burst fills one. `generation`: counts refreshes.
/// False if it stays as it is: a load at a variable place inside the element.
bool loadFromLine(mlir::Operation *load, ir::ElementOp element,
                  const Lines &lines, ir::GlobalOp generation);

/// Says in lines that the index chooses that they hold nothing.
void forgetLines(Code &code, const Lines &lines);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_MAKELINES_H
