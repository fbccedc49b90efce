// What lowering keeps for those who look at a program that runs.

#ifndef KARAKAL_BAKER_LANG_LOWER_LOWERINGOPTIONS_H
#define KARAKAL_BAKER_LANG_LOWER_LOWERINGOPTIONS_H

namespace karakal::lang {

struct LoweringOptions {
  /// `trace` has no effect on packets, so its calls can be removed with their
  /// arguments.
  bool keepsTraces = false;
  /// Says after each assignment which value the local variable has
  /// (`baker.variable`).
  bool keepsVariables = false;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_LOWERINGOPTIONS_H
