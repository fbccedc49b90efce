// Loads of elements that lines keep.
//
//   ask:   hit = …                    // see below
//          if (hit) goto read
//          g = generation
//          words = element            // one burst
//          if (g != generation) goto home
//          line = …; lines[line].entry = words; note the key
//          value = of words
//   read:  value = load of lines[line]
//   home:  value = load               // a refresh came in between
//
// With the CAM the key is the index with the array's tag bits: the CAM tells
// the line, and where no line has the element it names, asked again behind the
// burst, the one used longest ago. Without it the line is the index's lowest
// bits, and has the index of its element as a tag.
//
// Contexts change only at the burst: what a line holds and its key are written,
// and read, with nothing in between.

#include "swcache/MakeLines.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Words from the element to what `ref`, inside it, refers to; none where that
/// varies.
std::optional<uint64_t> constantOffset(Value ref, ir::ElementOp element) {
  uint64_t words = 0;
  for (Operation *op = ref.getDefiningOp(); op != element;
       op = op->getOperand(0).getDefiningOp()) {
    auto field = dyn_cast<ir::FieldOp>(op);
    if (!field)
      return std::nullopt;
    auto record = cast<ir::StructType>(ir::pointeeOf(field.getRecord()));
    words += ir::fieldWordOffset(record, *record.fieldIndex(field.getField()));
  }
  return words;
}

/// The code of one load.
class LineLoad {
public:
  LineLoad(Operation *load, ir::ElementOp element, const Lines &lines,
           ir::GlobalOp generation)
      : load(load), element(element), lines(lines), generation(generation),
        loc(load->getLoc()) {}

  bool make();

private:
  Code at(Block *block) { return Code(OpBuilder::atBlockEnd(block), loc); }
  Value field(Code &code, Value line, StringRef name);
  void ask(Code &code, Block *read, Block *miss);
  Value chosenLine(Code &code);
  Value foundLine(Code &code);
  void note(Code &code, Value line);
  SmallVector<Value> resultsFrom(Code &code, ValueRange words);
  SmallVector<int64_t> counts() const;

  Operation *load;
  ir::ElementOp element;
  const Lines &lines;
  ir::GlobalOp generation;
  Location loc;
  uint64_t first = 0; ///< word of the element that is loaded first
  Value key, said;    ///< to the CAM, and its answer
};

/// The reference to a field of line `line`.
Value LineLoad::field(Code &code, Value line, StringRef name) {
  Value ref = code.element(lines.lines, line);
  auto record = cast<ir::StructType>(ir::pointeeOf(ref));
  Type type = ir::RefType::get(ref.getContext(), record.fieldType(name));
  return code.builder.create<ir::FieldOp>(
      loc, type, ref, StringAttr::get(ref.getContext(), name));
}

/// How many of the array's loads find their line, and how many do not, as the
/// profile has it.
SmallVector<int64_t> LineLoad::counts() const {
  auto profile = ir::profileOf(lines.home);
  if (!profile || profile->reads == 0)
    return {};
  double rate =
      profile->hitRate(lines.isDirect ? uint32_t(lines.count()) / linesAnEntry
                                      : target::CamEntries);
  auto hits = int64_t(rate * double(profile->reads));
  return {hits, int64_t(profile->reads) - hits};
}

/// The line for an element that none has.
Value LineLoad::chosenLine(Code &code) {
  if (!lines.isDirect)
    return code.entryOf(code.askCam(key));
  return code.builder.create<arith::AndIOp>(
      loc, element.getIndex(), code.word(int64_t(lines.count() - 1)));
}

/// The line that has the element.
Value LineLoad::foundLine(Code &code) {
  return lines.isDirect ? chosenLine(code) : code.entryOf(said);
}

void LineLoad::ask(Code &code, Block *read, Block *miss) {
  Value hit;
  if (lines.isDirect) {
    // No command may come between the tag and the element.
    code.barrier();
    Value tag = code.builder.create<ir::LoadOp>(
        loc, field(code, chosenLine(code), lineTagName));
    hit = code.compare(arith::CmpIPredicate::eq, tag, element.getIndex());
  } else {
    key = element.getIndex();
    if (lines.tag != 0)
      key = code.builder.create<arith::OrIOp>(loc, key, code.word(lines.tag));
    said = code.askCam(key);
    hit = code.isKept(said);
  }
  code.branchIf(hit, read, miss, counts());
}

/// What the load gives, of the element's words.
SmallVector<Value> LineLoad::resultsFrom(Code &code, ValueRange words) {
  words = words.drop_front(first);
  if (isa<ir::LoadWordsOp>(load))
    return llvm::to_vector(words.take_front(load->getNumResults()));
  Type type = load->getResult(0).getType();
  unsigned width = type.getIntOrFloatBitWidth();
  OpBuilder &builder = code.builder;
  if (width == 32)
    return {words[0]};
  if (width < 32)
    return {builder.create<arith::TruncIOp>(loc, type, words[0])};
  // The high word comes first.
  Type wide = builder.getI64Type();
  Value high = builder.create<arith::ExtUIOp>(loc, wide, words[0]);
  Value low = builder.create<arith::ExtUIOp>(loc, wide, words[1]);
  Value shift =
      builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(32));
  Value all = builder.create<arith::OrIOp>(
      loc, builder.create<arith::ShLIOp>(loc, high, shift), low);
  return {width == 64 ? all : builder.create<arith::TruncIOp>(loc, type, all)};
}

/// Notes which element `line` has.
void LineLoad::note(Code &code, Value line) {
  if (lines.isDirect)
    code.builder.create<ir::StoreOp>(loc, element.getIndex(),
                                     field(code, line, lineTagName));
  else
    code.keepInCam(line, key);
}

bool LineLoad::make() {
  std::optional<uint64_t> offset = constantOffset(load->getOperand(0), element);
  if (!offset)
    return false;
  first = *offset;
  if (auto words = dyn_cast<ir::LoadWordsOp>(load))
    first += words.getAt();
  Block *before = load->getBlock();
  Block *rest = before->splitBlock(load->getNextNode());
  OpBuilder builder(load->getContext());
  auto addBlock = [&] { return builder.createBlock(rest); };
  Block *read = addBlock(), *miss = addBlock(), *keep = addBlock(),
        *home = addBlock();
  for (Value result : load->getResults())
    result.replaceAllUsesWith(rest->addArgument(result.getType(), loc));
  load->moveBefore(home, home->end());
  at(home).builder.create<cf::BranchOp>(loc, rest, load->getResults());

  Code code = at(before);
  ask(code, read, miss);

  code = at(read);
  Operation *fast = code.builder.clone(*load);
  code.builder.setInsertionPoint(fast);
  fast->setOperand(0, rebase(code.builder, load->getOperand(0), element,
                             field(code, foundLine(code), lineEntryName)));
  at(read).builder.create<cf::BranchOp>(loc, rest, fast->getResults());

  code = at(miss);
  Value seen = code.load(generation);
  code.barrier();
  uint64_t count = ir::wordCount(ir::pointeeOf(element.getResult()));
  auto burst = code.builder.create<ir::LoadWordsOp>(
      loc, SmallVector<Type>(count, builder.getI32Type()), element.getResult(),
      code.builder.getI32IntegerAttr(0));
  code.barrier();
  code.branchIf(
      code.compare(arith::CmpIPredicate::eq, seen, code.load(generation)), keep,
      home, {seldom[1], seldom[0]});

  code = at(keep);
  Value line = chosenLine(code);
  code.builder.create<ir::StoreWordsOp>(loc, burst.getWords(),
                                        field(code, line, lineEntryName),
                                        code.builder.getI32IntegerAttr(0));
  note(code, line);
  code.builder.create<cf::BranchOp>(loc, rest,
                                    resultsFrom(code, burst.getWords()));
  return true;
}

} // namespace

void sinkToUse(Operation *load) {
  Operation *to = load->getNextNode();
  while (!to->hasTrait<OpTrait::IsTerminator>() &&
         !llvm::is_contained(load->getUsers(), to) &&
         (isa<ir::LoadOp, ir::LoadWordsOp>(to) || isMemoryEffectFree(to)))
    to = to->getNextNode();
  load->moveBefore(to);
}

bool loadFromLine(Operation *load, ir::ElementOp element, const Lines &lines,
                  ir::GlobalOp generation) {
  return LineLoad(load, element, lines, generation).make();
}

void forgetLines(Code &code, const Lines &lines) {
  code.repeat(lines.count(), [&](Code &body, Value index) {
    Value ref = body.element(lines.lines, index);
    Type word = ir::RefType::get(ref.getContext(), body.builder.getI32Type());
    Value tag = body.builder.create<ir::FieldOp>(
        body.loc, word, ref, StringAttr::get(ref.getContext(), lineTagName));
    body.builder.create<ir::StoreOp>(body.loc, body.word(noTag), tag);
  });
}

} // namespace karakal::swcache
