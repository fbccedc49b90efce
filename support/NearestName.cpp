#include "support/NearestName.h"

#include <algorithm>

namespace karakal {

/// The number of edits that turn `a` into `b`. An edit inserts, deletes or
/// replaces a character, or swaps two adjacent ones (Damerau-Levenshtein).
static size_t editDistance(std::string_view a, std::string_view b) {
  // d[i][j]: edits from the first i characters of a to the first j of b.
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j)
    d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates) {
  constexpr size_t lengthMax = 64;
  std::string nearest;
  size_t distanceLimit = std::max<size_t>(name.size() / 3, 1) + 1;
  if (name.size() > lengthMax)
    return nearest;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > lengthMax || candidate == name)
      continue;
    size_t distance = editDistance(name, candidate);
    if (distance < distanceLimit && distance < name.size()) {
      distanceLimit = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace karakal
