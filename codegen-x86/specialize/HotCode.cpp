// Compares of hot entries before a look-up, and what they have folded.

#include "codegen-x86/specialize/HotCode.h"
#include "codegen-x86/specialize/GlobalAccesses.h"
#include "codegen-x86/specialize/KeyCode.h"
#include "support/Assert.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include <algorithm>
#include <map>

namespace karakal::x86 {

using namespace llvm;

/// Fields of one look-up's entry that are read before it is known whether they
/// are needed.
static constexpr size_t foldedFieldsMax = 8;

namespace {

class HotWriter {
public:
  HotWriter(Module &module, const TableShape &table,
            const TableContent &content, const std::vector<Rule> &rules,
            const HotChoice &hot, const VersionValues &guard)
      : module(module), table(table), rules(rules), hot(hot), guard(guard),
        entries(module.getGlobalVariable(table.own("entries"))),
        builder(module.getContext()) {
    for (const TableEntry &entry : content.entries)
      wordsBySlot[entry.slot] = &entry.words;
    findConstantLoads();
  }

  void write() {
    Function *find = module.getFunction(table.find());
    KARAKAL_ASSERT(find && !hot.entries.empty(), "hot entries of a table");
    std::vector<CallInst *> calls;
    for (User *user : find->users())
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledFunction() == find)
        calls.push_back(call);
    for (CallInst *call : calls)
      writeBefore(*call);
  }

private:
  /// Notes the loads of entries that no store of a packet changes.
  void findConstantLoads() {
    if (!entries)
      return;
    FunctionSet all;
    for (Function &function : module)
      all.insert(&function);
    GlobalAccesses accesses = accessesOf(*entries, all);
    if (accesses.escapes)
      return;
    for (const GlobalAccess &read : accesses.all)
      if (!read.isWrite &&
          none_of(accesses.all, [&](const GlobalAccess &write) {
            return write.isWrite && write.mayOverlap(read);
          }))
        constantLoads.insert(read.at);
  }

  struct Field {
    unsigned word;
    std::vector<LoadInst *> loads;
  };

  /// The fields that are read of the entry that `call` finds.
  std::vector<Field> fieldsOf(CallInst &call) const {
    using namespace PatternMatch;
    std::map<unsigned, Field> fields;
    auto follow = [&](auto &self, Value *pointer, uint64_t word) -> void {
      for (User *user : pointer->users())
        if (auto *load = dyn_cast<LoadInst>(user)) {
          if (constantLoads.contains(load) &&
              load->getType()->isIntegerTy(32) && word < table.slotWords) {
            fields[unsigned(word)].word = unsigned(word);
            fields[unsigned(word)].loads.push_back(load);
          }
        } else if (auto *offset = dyn_cast<GetElementPtrInst>(user)) {
          uint64_t more = 0;
          if (offset->getPointerOperand() == pointer &&
              offset->getNumIndices() == 1 &&
              offset->getSourceElementType()->isIntegerTy(32) &&
              match(offset->getOperand(1), m_ConstantInt(more)))
            self(self, offset, word + more);
        }
    };
    for (User *product : call.users())
      if (match(product,
                m_c_Mul(m_Specific(&call), m_SpecificInt(table.slotWords))))
        for (User *wide : product->users())
          if (isa<ZExtInst>(wide))
            for (User *user : wide->users())
              if (auto *base = dyn_cast<GetElementPtrInst>(user);
                  base && base->getPointerOperand() == entries &&
                  base->getNumIndices() == 1 &&
                  base->getSourceElementType()->isIntegerTy(32))
                follow(follow, base, 0);
    std::vector<Field> all;
    for (auto &[word, field] : fields)
      all.push_back(std::move(field));
    if (all.size() > foldedFieldsMax)
      all.clear();
    return all;
  }

  BasicBlock *newBlock(const char *name, BasicBlock *before) {
    return BasicBlock::Create(module.getContext(), name, before->getParent(),
                              before);
  }

  /// A branch that is taken with a probability.
  void branch(Value *condition, BasicBlock *yes, BasicBlock *no, double taken) {
    constexpr double one = 1 << 20;
    MDNode *weights = MDBuilder(module.getContext())
                          .createBranchWeights(uint32_t(taken * one) + 1,
                                               uint32_t((1 - taken) * one) + 1);
    builder.CreateCondBr(condition, yes, no, weights);
  }

  /// Goes to `cold` unless the table is as it was.
  void writeGuard(BasicBlock *cold) {
    if (guard.empty())
      return;
    Type *i64 = builder.getInt64Ty();
    Constant *versions = module.getOrInsertGlobal(Specializable::Versions,
                                                  ArrayType::get(i64, 0));
    Value *differs = builder.getInt64(0);
    for (auto [number, version] : guard) {
      Value *now = builder.CreateLoad(
          i64, builder.CreateConstInBoundsGEP1_64(i64, versions, number));
      differs = builder.CreateOr(
          differs, builder.CreateXor(now, builder.getInt64(version)));
    }
    BasicBlock *valid = newBlock("valid", cold);
    branch(builder.CreateICmpEQ(differs, builder.getInt64(0)), valid, cold, 1);
    builder.SetInsertPoint(valid);
  }

  void writeBefore(CallInst &call) {
    std::vector<Field> fields = fieldsOf(call);
    BasicBlock *first = call.getParent();
    BasicBlock *cold = first->splitBasicBlock(&call, "cold");
    BasicBlock *found = cold->splitBasicBlock(call.getNextNode(), "found");
    first->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(first);
    std::vector<Value *> arguments(call.arg_begin(), call.arg_end());
    KeyCode key(builder, table, arguments);
    writeGuard(cold);

    unsigned ways = unsigned(hot.entries.size()) + 1;
    PHINode *slot =
        PHINode::Create(call.getType(), ways, "slot", found->begin());
    call.replaceAllUsesWith(slot);
    slot->addIncoming(&call, cold);
    std::vector<PHINode *> values = writeCold(call, cold, found, fields, ways);

    double left = 1;
    for (const HotEntry &entry : hot.entries) {
      const Rule &rule = rules[entry.rank];
      BasicBlock *hit = newBlock("hot", cold), *next = newBlock("next", cold);
      branch(key.matches(builder, rule), hit, next,
             left > 0 ? std::min(entry.share / left, 1.0) : 0);
      left -= entry.share;
      builder.SetInsertPoint(hit);
      builder.CreateBr(found);
      slot->addIncoming(builder.getInt32(rule.slot), hit);
      for (size_t i = 0; i < fields.size(); ++i)
        values[i]->addIncoming(
            builder.getInt32((*wordsBySlot.at(rule.slot))[fields[i].word]),
            hit);
      builder.SetInsertPoint(next);
    }
    builder.CreateBr(cold);
  }

  /// Reads the fields of what the look-up finds. Returns their values for all
  /// ways to `found`.
  std::vector<PHINode *> writeCold(CallInst &call, BasicBlock *cold,
                                   BasicBlock *found,
                                   const std::vector<Field> &fields,
                                   unsigned ways) {
    IRBuilder<> reader(cold->getTerminator());
    Type *i32 = reader.getInt32Ty();
    Value *base = nullptr;
    std::vector<PHINode *> values;
    for (const Field &field : fields) {
      if (!base)
        base = reader.CreateGEP(
            i32, entries,
            reader.CreateZExt(
                reader.CreateMul(&call, reader.getInt32(table.slotWords)),
                reader.getInt64Ty()));
      Value *read = reader.CreateLoad(
          i32, reader.CreateConstGEP1_64(i32, base, field.word));
      PHINode *value = PHINode::Create(i32, ways, "value", found->begin());
      value->addIncoming(read, cold);
      for (LoadInst *load : field.loads) {
        load->replaceAllUsesWith(value);
        constantLoads.erase(load);
        load->eraseFromParent();
      }
      values.push_back(value);
    }
    return values;
  }

  Module &module;
  const TableShape &table;
  const std::vector<Rule> &rules;
  const HotChoice &hot;
  const VersionValues &guard;
  GlobalVariable *entries;
  IRBuilder<> builder;
  std::map<uint32_t, const std::vector<uint32_t> *> wordsBySlot;
  SmallPtrSet<Instruction *, 32> constantLoads;
};

} // namespace

void writeHot(Module &module, const TableShape &table,
              const TableContent &content, const std::vector<Rule> &rules,
              const HotChoice &hot, const VersionValues &guard) {
  HotWriter(module, table, content, rules, hot, guard).write();
}

} // namespace karakal::x86
