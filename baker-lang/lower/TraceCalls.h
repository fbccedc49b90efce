// What lowering does with calls of `trace`.

#ifndef KARAKAL_BAKER_LANG_LOWER_TRACECALLS_H
#define KARAKAL_BAKER_LANG_LOWER_TRACECALLS_H

namespace karakal::lang {

/// `trace` has no effect on packets, so its calls can be removed with their
/// arguments.
enum class TraceCalls { Remove, Keep };

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_TRACECALLS_H
