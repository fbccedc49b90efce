// Look-ups made for what a table holds.

#include "codegen-x86/specialize/FindCode.h"
#include "codegen-x86/specialize/KeyCode.h"
#include "codegen-x86/specialize/MaskSets.h"
#include "support/Assert.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

namespace karakal::x86 {

using namespace llvm;

/// Reads of the table's own structure that a look-up costs, roughly.
static double ownReads(const TableShape &table, size_t entries) {
  if (table.structure == "list")
    return double(entries) / 2;
  // A vector for each byte of the key, at least.
  if (table.structure == "bit_vectors")
    return 2 * double(table.keyWords());
  if (table.structure == "compressed_trie")
    return 3.5;
  return table.structure == "trie" ? 2.5 : 1;
}

FindChoice chooseFind(const TableShape &table, const std::vector<Rule> &rules,
                      const SpecializeLimits &limits) {
  std::string count = std::to_string(rules.size());
  if (rules.empty())
    return {FindForm::Empty, "no entry"};
  // A read by number is worth a few compares.
  bool isByNumber = table.structure == "direct" || table.structure == "index";
  size_t comparedMax = isByNumber ? 2 : limits.comparedMax;
  if (rules.size() <= comparedMax)
    return {FindForm::Compares, count + " rules as code"};
  if (isByNumber || table.structure == "hash")
    return {FindForm::Own, count + " entries, found by " + table.structure};
  std::vector<MaskSet> sets = maskSetsOf(rules);
  std::string used =
      count + " rules with " + std::to_string(sets.size()) + " sets of masks";
  if (sets.size() > limits.maskSetsMax ||
      double(sets.size()) * 1.5 > ownReads(table, rules.size()))
    return {FindForm::Own, used + ", found by " + table.structure};
  return {FindForm::Indexed, used + ": a hash table for each"};
}

namespace {

/// Writes the body of one look-up.
class FindWriter {
public:
  FindWriter(Module &module, const TableShape &table,
             const std::vector<Rule> &rules, const Traffic::OfTable &traffic)
      : module(module), table(table), rules(rules), traffic(traffic),
        function(module.getFunction(table.find())),
        i32(Type::getInt32Ty(module.getContext())),
        i64(Type::getInt64Ty(module.getContext())),
        builder(module.getContext()) {
    KARAKAL_ASSERT(function && !function->isDeclaration(),
                   "the module has the look-up of " + table.name);
    function->deleteBody();
    function->setLinkage(GlobalValue::InternalLinkage);
    builder.SetInsertPoint(newBlock("entry"));
  }

  void write(FindForm form) {
    std::vector<Value *> arguments;
    for (Argument &argument : function->args())
      arguments.push_back(&argument);
    if (form != FindForm::Empty)
      key = KeyCode(builder, table, arguments);
    if (form == FindForm::Indexed)
      return writeSets();
    function->addFnAttr(Attribute::AlwaysInline);
    double left = 1;
    for (const Rule &rule : rules) {
      double share = traffic.shareOf(rule.slot);
      returnIf(key.matches(builder, rule), builder.getInt32(rule.slot), share,
               left);
      left -= share;
    }
    builder.CreateRet(builder.getInt32(0));
  }

private:
  BasicBlock *newBlock(const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  }

  /// Returns `slot` for `share` of all look-ups, of which `left` come here.
  void returnIf(Value *condition, Value *slot, double share, double left) {
    BasicBlock *found = newBlock("found"), *next = newBlock("next");
    constexpr double one = 1 << 20;
    MDNode *weights = nullptr;
    if (!traffic.slots.empty())
      weights = MDBuilder(module.getContext())
                    .createBranchWeights(
                        uint32_t(share * one) + 1,
                        uint32_t(std::max(left - share, 0.0) * one) + 1);
    builder.CreateCondBr(condition, found, next, weights);
    builder.SetInsertPoint(found);
    builder.CreateRet(slot);
    builder.SetInsertPoint(next);
  }

  /// Searches one set after the other, as long as a better rule may be found.
  void writeSets() {
    std::vector<MaskSet> sets = maskSetsOf(rules);
    uint64_t none = ~uint64_t(0) << 32;
    Value *best = builder.getInt64(none);
    for (size_t i = 0; i < sets.size(); ++i) {
      Value *before = best;
      BasicBlock *search = newBlock("search"), *after = newBlock("after");
      BasicBlock *from = builder.GetInsertBlock();
      uint64_t rank = uint64_t(sets[i].ranks.front()) << 32;
      builder.CreateCondBr(
          builder.CreateICmpUGT(before, builder.getInt64(rank)), search, after);
      builder.SetInsertPoint(after);
      PHINode *joined = builder.CreatePHI(i64, 3, "best");
      joined->addIncoming(before, from);
      builder.SetInsertPoint(search);
      writeSearch(sets[i], before, after, joined);
      builder.SetInsertPoint(after);
      best = joined;
    }
    builder.CreateRet(builder.CreateTrunc(best, i32));
  }

  GlobalVariable *addData(const std::vector<uint64_t> &words) {
    auto *values = ConstantDataArray::get(module.getContext(), words);
    auto *data = new GlobalVariable(module, values->getType(), true,
                                    GlobalValue::InternalLinkage, values,
                                    table.name + ".data");
    data->setAlignment(Align(64));
    return data;
  }

  Value *load(GlobalVariable *data, Value *record, unsigned word) {
    Value *at = builder.CreateAdd(record, builder.getInt64(word));
    return builder.CreateLoad(
        i64, builder.CreateInBoundsGEP(i64, data, {at}, "word"));
  }

  /// Goes on at `after` with the better of `before` and what the set has.
  void writeSearch(const MaskSet &set, Value *before, BasicBlock *after,
                   PHINode *best) {
    HashData hash = hashDataOf(set, rules);
    GlobalVariable *data = addData(hash.words);
    std::vector<unsigned> used = set.usedWords();
    std::vector<Value *> values;
    Value *factor = builder.getInt64(hash.factor);
    Value *mixed = builder.getInt64(0);
    for (unsigned word : used) {
      values.push_back(builder.CreateAnd(key[word], set.masks[word]));
      mixed =
          builder.CreateMul(builder.CreateXor(mixed, values.back()), factor);
      mixed = builder.CreateXor(mixed, builder.CreateLShr(mixed, 32));
    }
    Value *start = builder.CreateLShr(builder.CreateMul(mixed, factor),
                                      64 - hash.recordBits);
    BasicBlock *from = builder.GetInsertBlock();
    BasicBlock *probe = newBlock("probe"), *next = newBlock("next");
    BasicBlock *other = newBlock("other");
    builder.CreateBr(probe);
    builder.SetInsertPoint(probe);
    PHINode *at = builder.CreatePHI(i64, 2, "at");
    at->addIncoming(start, from);
    Value *record = builder.CreateMul(at, builder.getInt64(set.recordWords()));
    Value *rule = load(data, record, set.recordWords() - 1);
    Value *isHit = builder.CreateICmpNE(rule, builder.getInt64(0));
    for (unsigned i = 0; i < used.size(); ++i)
      isHit = builder.CreateAnd(
          isHit, builder.CreateICmpEQ(load(data, record, i), values[i]));
    for (unsigned i = 0; i < set.boundWords.size(); ++i) {
      Value *bounds = load(data, record, unsigned(used.size()) + i);
      isHit = builder.CreateAnd(
          isHit, KeyCode::isWithin(builder, key[set.boundWords[i]],
                                   builder.CreateAnd(bounds, 0xffffffff),
                                   builder.CreateLShr(bounds, 32)));
    }
    Value *better =
        builder.CreateBinaryIntrinsic(Intrinsic::umin, before, rule);
    best->addIncoming(better, probe);
    builder.CreateCondBr(isHit, after, other);
    builder.SetInsertPoint(other);
    best->addIncoming(before, other);
    builder.CreateCondBr(builder.CreateICmpEQ(rule, builder.getInt64(0)), after,
                         next);
    builder.SetInsertPoint(next);
    uint64_t mask = (uint64_t(1) << hash.recordBits) - 1;
    at->addIncoming(
        builder.CreateAnd(builder.CreateAdd(at, builder.getInt64(1)), mask),
        next);
    builder.CreateBr(probe);
  }

  Module &module;
  const TableShape &table;
  const std::vector<Rule> &rules;
  const Traffic::OfTable &traffic;
  Function *function;
  Type *i32, *i64;
  IRBuilder<> builder;
  KeyCode key;
};

} // namespace

void writeFind(Module &module, const TableShape &table,
               const std::vector<Rule> &rules, FindForm form,
               const Traffic::OfTable &traffic) {
  if (form != FindForm::Own)
    FindWriter(module, table, rules, traffic).write(form);
}

} // namespace karakal::x86
