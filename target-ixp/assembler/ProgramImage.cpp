#include "target-ixp/assembler/ProgramImage.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/Manifest.h"

namespace karakal::target {

Image programImage(const AssembledProgram &program, const std::string &name,
                   const std::string &target) {
  Image image;
  image.manifest = defaultManifest(name, "asm");
  image.manifest["target"] = target;
  image.manifest["aggregates"].push_back({{"name", name},
                                          {"ucode", name},
                                          {"words", program.words.size()},
                                          {"engines", {AppEngineFirst}}});
  image.manifest["engines"].push_back({{"engine", AppEngineFirst},
                                       {"role", "app"},
                                       {"ucode", name},
                                       {"aggregate", name}});
  image.microcode[name] = program.words;
  image.lines[name] = program.lines;
  return image;
}

Result<Image> replaceProgram(const std::string &path,
                             const AssembledProgram &program) {
  Result<Image> image = readImage(path);
  if (!image)
    return image;
  for (auto &aggregate : image->manifest["aggregates"]) {
    std::string name = aggregate["ucode"];
    aggregate["words"] = program.words.size();
    image->microcode[name] = program.words;
    image->lines[name] = program.lines;
  }
  return image;
}

} // namespace karakal::target
