// The text of source lines.

#include "sim-ixp/observe/SourceText.h"

#include <cstdlib>
#include <fstream>

namespace karakal::sim {

const std::vector<std::string> &
SourceText::linesOf(const std::string &file) const {
  auto [found, isNew] = files.try_emplace(file);
  if (!isNew)
    return found->second;
  std::string base = file.substr(file.rfind('/') + 1);
  std::vector<std::string> names;
  if (folders.empty())
    names.push_back(file);
  for (const std::string &folder : folders)
    names.insert(names.end(), {folder + "/" + file, folder + "/" + base});
  for (const std::string &name : names) {
    std::ifstream in(name);
    if (!in)
      continue;
    for (std::string line; std::getline(in, line);) {
      size_t begin = line.find_first_not_of(" \t");
      size_t end = line.find_last_not_of(" \t\r");
      found->second.push_back(begin == std::string::npos
                                  ? std::string()
                                  : line.substr(begin, end + 1 - begin));
    }
    break;
  }
  return found->second;
}

const std::string &SourceText::textOf(const std::string &location) const {
  static const std::string none;
  size_t colon = location.rfind(':');
  if (colon == std::string::npos)
    return none;
  const std::vector<std::string> &lines = linesOf(location.substr(0, colon));
  size_t number = std::strtoul(location.c_str() + colon + 1, nullptr, 10);
  return number == 0 || number > lines.size() ? none : lines[number - 1];
}

} // namespace karakal::sim
