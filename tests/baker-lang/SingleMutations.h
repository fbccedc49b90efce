// Single mistakes in correct programs: what a slip of a hand makes of them.
//
// One mutation changes one place of one file: it deletes, doubles, swaps or
// replaces a token, misspells a word, or deletes a line. How many errors the
// front end reports for it is the measure of its messages: one mistake should
// give one error.

#ifndef KARAKAL_TESTS_BAKER_LANG_SINGLEMUTATIONS_H
#define KARAKAL_TESTS_BAKER_LANG_SINGLEMUTATIONS_H

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace karakal {

/// A program without errors: a folder whose main file has the folder's name.
struct CorrectProgram {
  std::filesystem::path folder;
  std::string main;
  std::vector<std::string> files;
};

/// The programs under `folder`, sorted by their paths.
std::vector<CorrectProgram>
correctPrograms(const std::filesystem::path &folder);

/// A mutation and what the front end says about it.
struct MutantResult {
  std::string kind; ///< for example "delete a token"
  std::string file; ///< the mutated file
  uint32_t line = 0;
  std::string before, after; ///< the line, without and with the mutation
  uint32_t errorCount = 0;
  std::string diagnostics; ///< as printed
};

/// Makes mutants of the programs under `folder` and compiles each of them.
/// Deterministic: the same seed gives the same mutants.
class SingleMutations {
public:
  /// `work`: an empty folder for the mutated programs.
  /// `library`: the folder of Baker's library.
  SingleMutations(const std::filesystem::path &folder,
                  const std::filesystem::path &work,
                  const std::filesystem::path &library, uint32_t seed);

  /// The next mutant that has errors. Mutants without errors are skipped.
  MutantResult next();

private:
  MutantResult compile(const CorrectProgram &program, const std::string &file,
                       size_t at, const std::string &text,
                       const std::string &mutated);
  size_t below(size_t limit) { return limit == 0 ? 0 : random() % limit; }

  std::filesystem::path work;
  std::filesystem::path library;
  std::vector<CorrectProgram> programs;
  std::mt19937 random;
};

} // namespace karakal

#endif // KARAKAL_TESTS_BAKER_LANG_SINGLEMUTATIONS_H
