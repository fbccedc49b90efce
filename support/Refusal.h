// The status of control functions that refuse a call in words.

#ifndef KARAKAL_SUPPORT_REFUSAL_H
#define KARAKAL_SUPPORT_REFUSAL_H

#include <cstdint>

namespace karakal {

/// The status that stands for a program's first text of `refusal("…")`; the
/// texts that follow have the next numbers. Programs that return numbers of
/// their own use smaller ones.
inline constexpr int32_t FirstRefusal = 0x10000;

} // namespace karakal

#endif // KARAKAL_SUPPORT_REFUSAL_H
