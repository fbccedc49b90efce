// Specialized code, as those see it who ask for it.

#include "codegen-x86/Specialization.h"
#include <algorithm>
#include <charconv>

namespace karakal::x86 {

SampleOptions SampleOptions::of(uint32_t period, uint32_t lookups) {
  SampleOptions options;
  options.period = period;
  options.firstPeriod = std::min(options.firstPeriod, period);
  options.lookupsMin = lookups;
  constexpr uint32_t packets = 32; // of a burst
  options.burstsPerNews =
      std::clamp(lookups / packets, 1u, options.burstsPerNews);
  return options;
}

std::optional<SampleOptions> SampleOptions::read(const std::string &text) {
  auto number = [](const std::string &digits) -> std::optional<uint32_t> {
    uint32_t value = 0;
    const char *end = digits.data() + digits.size();
    auto [at, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || at != end)
      return std::nullopt;
    return value;
  };
  size_t comma = text.find(',');
  std::optional<uint32_t> period = number(text.substr(0, comma));
  std::optional<uint32_t> lookups = comma == std::string::npos
                                        ? SampleOptions().lookupsMin
                                        : number(text.substr(comma + 1));
  if (!period || lookups.value_or(0) == 0)
    return std::nullopt;
  return *period == 0 ? SampleOptions{0} : of(*period, *lookups);
}

Explanations explain(const Assumptions &made) {
  Explanations all;
  for (const Assumption &assumption : made.assumptions) {
    std::string text = assumption.name + ": " + assumption.what;
    if (assumption.savedInstructions != 0)
      text += ", saves " + std::to_string(assumption.savedInstructions) +
              " instructions";
    text += "; undone by ";
    for (const std::string &name : assumption.undoneBy)
      text += (&name == assumption.undoneBy.data() ? "" : ", ") + name;
    text += assumption.undoneBy.empty() ? "nothing" : "";
    if (assumption.isCompared)
      text += " and other traffic";
    all.emplace_back(assumption.name, text);
  }
  for (const auto &[name, reason] : made.left)
    all.emplace_back(name, name + ": left alone, " + reason);
  if (made.weighedBranches != 0)
    all.emplace_back("", std::to_string(made.weighedBranches) +
                             " branches are laid out by observed traffic");
  return all;
}

} // namespace karakal::x86
