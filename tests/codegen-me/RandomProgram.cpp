// Generates random LLVM IR without undefined behaviour.

#include "RandomProgram.h"

#include <random>
#include <vector>

namespace karakal::tests {
namespace {

struct Value {
  std::string name;
  unsigned width;
};

struct Callee {
  std::string name;
  std::vector<unsigned> arguments;
  unsigned result;
};

std::string type(unsigned width) { return "i" + std::to_string(width); }

/// Generates the text of one function.
class FunctionText {
public:
  FunctionText(std::mt19937_64 &random, const ProgramShape &shape,
               const std::vector<Callee> &callees)
      : random(random), shape(shape), callees(callees) {}

  unsigned pick(unsigned n) { return unsigned(random() % n); }
  unsigned width() {
    static const unsigned widths[] = {1,  8,  13, 16, 32, 32,
                                      32, 32, 33, 48, 64, 64};
    static const unsigned wide[] = {65, 72, 96, 100, 127, 128, 128};
    if (shape.wide && pick(3) == 0)
      return wide[pick(std::size(wide))];
    return widths[pick(std::size(widths))];
  }
  std::string fresh() { return "%v" + std::to_string(++count); }
  void line(const std::string &l) { text += "  " + l + "\n"; }
  /// An existing value of this width, converted if necessary.
  std::string use(unsigned width);
  Value define(unsigned width, const std::string &expression) {
    Value v{fresh(), width};
    line(v.name + " = " + expression);
    values.push_back(v);
    return v;
  }
  std::string literal(unsigned width);
  void statement(unsigned depth);
  void statements(unsigned n, unsigned depth) {
    for (unsigned i = 0; i < n; ++i)
      statement(depth);
  }

  std::string text;
  std::vector<Value> values;
  std::string block = "entry";
  bool hasArray = false;
  bool hasBuffers = false;

private:
  void arithmetic();
  void shift();
  void division();
  void compare();
  void convert();
  void unary();
  void funnel();
  void call();
  void array();
  void buffer();
  void diamond(unsigned depth);
  void loop(unsigned depth);
  std::string label() { return "b" + std::to_string(++labels); }
  void startBlock(const std::string &name) {
    text += name + ":\n";
    block = name;
  }

  std::mt19937_64 &random;
  const ProgramShape &shape;
  const std::vector<Callee> &callees;
  unsigned count = 0, labels = 0;
};

std::string FunctionText::literal(unsigned width) {
  static const uint64_t interesting[] = {
      0,          1,          2,          3,          7,
      255,        256,        0xffff,     0x10000,    0xff00ff,
      0xffffff00, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffffull,
      ~0ull};
  uint64_t v = pick(3) ? interesting[pick(std::size(interesting))] : random();
  if (width < 64)
    v &= (1ull << width) - 1;
  if (width == 1)
    return v ? "true" : "false";
  return std::to_string(v);
}

std::string FunctionText::use(unsigned width) {
  if (values.empty() || pick(6) == 0)
    return literal(width);
  // Prefers recent values half of the time.
  unsigned n = values.size();
  const Value v = values[pick(2) && n > 8 ? n - 1 - pick(8) : pick(n)];
  if (v.width == width)
    return v.name;
  std::string name = fresh();
  std::string op = v.width > width ? "trunc" : pick(2) ? "zext" : "sext";
  line(name + " = " + op + " " + type(v.width) + " " + v.name + " to " +
       type(width));
  return name;
}

void FunctionText::arithmetic() {
  static const char *const ops[] = {"add", "sub", "mul", "and",
                                    "or",  "xor", "add", "sub"};
  unsigned w = width();
  std::string a = use(w), b = use(w);
  define(w, std::string(ops[pick(8)]) + " " + type(w) + " " + a + ", " + b);
}

void FunctionText::shift() {
  static const char *const ops[] = {"shl", "lshr", "ashr"};
  unsigned w = width();
  if (w == 1)
    w = 32;
  std::string a = use(w), n;
  if (pick(2)) {
    n = std::to_string(pick(w));
  } else if ((w & (w - 1)) == 0) {
    std::string raw = use(w);
    n = fresh();
    line(n + " = and " + type(w) + " " + raw + ", " + std::to_string(w - 1));
  } else {
    std::string raw = use(w);
    n = fresh();
    line(n + " = and " + type(w) + " " + raw + ", 7");
  }
  define(w, std::string(ops[pick(3)]) + " " + type(w) + " " + a + ", " + n);
}

void FunctionText::division() {
  static const char *const ops[] = {"udiv", "urem", "sdiv", "srem"};
  static const unsigned widths[] = {8, 16, 32, 32, 64};
  unsigned w = widths[pick(5)];
  std::string a = use(w), d;
  if (pick(2)) {
    d = std::to_string(1 + pick(w == 8 ? 100 : 1000));
  } else {
    std::string raw = use(w), positive = fresh();
    uint64_t mask = (1ull << (w - 1)) - 1;
    line(positive + " = and " + type(w) + " " + raw + ", " +
         std::to_string(pick(2) ? mask : mask & 0xff));
    d = fresh();
    line(d + " = or " + type(w) + " " + positive + ", 1");
  }
  define(w, std::string(ops[pick(4)]) + " " + type(w) + " " + a + ", " + d);
}

void FunctionText::compare() {
  static const char *const codes[] = {"eq",  "ne",  "ult", "ule", "ugt",
                                      "uge", "slt", "sle", "sgt", "sge"};
  unsigned w = width();
  std::string a = use(w), b = use(w);
  Value c = define(1, std::string("icmp ") + codes[pick(10)] + " " + type(w) +
                          " " + a + ", " + b);
  if (pick(2)) {
    unsigned r = width();
    std::string t = use(r), f = use(r);
    define(r, "select i1 " + c.name + ", " + type(r) + " " + t + ", " +
                  type(r) + " " + f);
  }
}

void FunctionText::convert() {
  unsigned w = width();
  std::string a = use(w);
  define(w, "freeze " + type(w) + " " + a);
}

void FunctionText::unary() {
  static const unsigned widths[] = {8, 16, 32, 32, 64};
  unsigned w = widths[pick(5)];
  std::string a = use(w), t = type(w), s = "." + t;
  switch (pick(w == 8 ? 4 : 5)) {
  case 0:
    define(w, "call " + t + " @llvm.ctpop" + s + "(" + t + " " + a + ")");
    return;
  case 1:
    define(w,
           "call " + t + " @llvm.ctlz" + s + "(" + t + " " + a + ", i1 false)");
    return;
  case 2:
    define(w,
           "call " + t + " @llvm.cttz" + s + "(" + t + " " + a + ", i1 false)");
    return;
  case 3: {
    static const char *const names[] = {"umin", "umax", "smin", "smax"};
    std::string b = use(w);
    define(w, "call " + t + " @llvm." + names[pick(4)] + s + "(" + t + " " + a +
                  ", " + t + " " + b + ")");
    return;
  }
  default:
    define(w, "call " + t + " @llvm.bswap" + s + "(" + t + " " + a + ")");
  }
}

void FunctionText::funnel() {
  static const unsigned widths[] = {16, 32, 32, 32, 64};
  unsigned w = widths[pick(5)];
  std::string t = type(w), a = use(w), b = pick(3) ? use(w) : a;
  std::string n = pick(2) ? std::to_string(pick(w)) : use(w);
  define(w, "call " + t + " @llvm." + (pick(2) ? "fshl." : "fshr.") + t + "(" +
                t + " " + a + ", " + t + " " + b + ", " + t + " " + n + ")");
}

void FunctionText::call() {
  if (callees.empty())
    return arithmetic();
  const Callee &callee = callees[pick(callees.size())];
  std::string arguments;
  for (unsigned w : callee.arguments)
    arguments += (arguments.empty() ? "" : ", ") + type(w) + " " + use(w);
  define(callee.result, "call " + type(callee.result) + " @" + callee.name +
                            "(" + arguments + ")");
}

void FunctionText::array() {
  std::string index = fresh(), raw = use(32), pointer = fresh();
  line(index + " = and i32 " + raw + ", 7");
  line(pointer + " = getelementptr [8 x i32], ptr %array, i32 0, i32 " +
       (pick(2) ? index : std::to_string(pick(8))));
  if (pick(2))
    define(32, "load i32, ptr " + pointer);
  else
    line("store i32 " + use(32) + ", ptr " + pointer);
}

/// Generates a load or store of a burst at a constant or variable address.
void FunctionText::buffer() {
  constexpr unsigned wide = 15; // words of one read of SRAM, instead of 8
  bool isLoad = pick(2);
  unsigned n = isLoad && pick(4) == 0 ? wide : 1 + pick(8);
  std::string pointer = fresh(), raw = use(32), index = fresh();
  line(index + " = and i32 " + raw + ", 31");
  std::string at = pick(2) ? index : std::to_string(pick(32));
  static const char *const others[] = {"%dram", "%scratch"};
  unsigned other = shape.memories ? pick(3) : 2;
  std::string base = other < 2 ? others[other] : isLoad ? "%in" : "%out";
  std::string space =
      "addrspace(" + std::to_string(other < 2 ? other + 2 : 1) + ")";
  line(pointer + " = getelementptr i32, ptr " + space + " " + base + ", i32 " +
       at);
  std::string vector = "<" + std::to_string(n) + " x i32>";
  if (isLoad) {
    std::string loaded = fresh();
    line(loaded + " = load " + vector + ", ptr " + space + " " + pointer +
         ", align 4");
    for (unsigned i = 0; i < n; ++i)
      if (pick(2))
        define(32, "extractelement " + vector + " " + loaded + ", i32 " +
                       std::to_string(i));
    return;
  }
  std::string built = "poison";
  for (unsigned i = 0; i < n; ++i) {
    std::string element = use(32), next = fresh();
    line(next + " = insertelement " + vector + " " + built + ", i32 " +
         element + ", i32 " + std::to_string(i));
    built = next;
  }
  line("store " + vector + " " + built + ", ptr " + space + " " + pointer +
       ", align 4");
}

void FunctionText::diamond(unsigned depth) {
  std::string condition = use(1);
  std::string then = label(), otherwise = label(), join = label();
  line("br i1 " + condition + ", label %" + then + ", label %" + otherwise);
  size_t outer = values.size();
  unsigned w = width();
  startBlock(then);
  statements(1 + pick(5), depth + 1);
  std::string a = use(w), fromThen = block;
  line("br label %" + join);
  values.resize(outer);
  startBlock(otherwise);
  statements(pick(5), depth + 1);
  std::string b = use(w), fromOtherwise = block;
  line("br label %" + join);
  values.resize(outer);
  startBlock(join);
  define(w, "phi " + type(w) + " [ " + a + ", %" + fromThen + " ], [ " + b +
                ", %" + fromOtherwise + " ]");
}

void FunctionText::loop(unsigned depth) {
  std::string head = label(), exit = label(), before = block;
  unsigned w = width(), trips = 1 + pick(5);
  std::string start = use(w);
  line("br label %" + head);
  size_t outer = values.size();
  // The back edges of the phis are known only after the body, so patch them in.
  startBlock(head);
  std::string i = fresh(), carried = fresh();
  size_t patch = text.size();
  values.push_back({i, 32});
  values.push_back({carried, w});
  statements(1 + pick(6), depth + 1);
  std::string next = use(w), iNext = fresh(), more = fresh();
  line(iNext + " = add i32 " + i + ", 1");
  line(more + " = icmp ult i32 " + iNext + ", " + std::to_string(trips));
  line("br i1 " + more + ", label %" + head + ", label %" + exit);
  text.insert(patch, "  " + i + " = phi i32 [ 0, %" + before + " ], [ " +
                         iNext + ", %" + block + " ]\n  " + carried +
                         " = phi " + type(w) + " [ " + start + ", %" + before +
                         " ], [ " + next + ", %" + block + " ]\n");
  std::string result = next;
  values.resize(outer);
  startBlock(exit);
  define(w, "freeze " + type(w) + " " + result);
}

void FunctionText::statement(unsigned depth) {
  switch (pick(16)) {
  case 0:
  case 1:
    return shift();
  case 2:
    return shape.division && pick(3) == 0 ? division() : arithmetic();
  case 3:
  case 4:
    return compare();
  case 5:
    return convert();
  case 6:
    return unary();
  case 7:
    return funnel();
  case 8:
    return pick(2) ? call() : arithmetic();
  case 9:
    return hasArray ? array() : arithmetic();
  case 10:
    return hasBuffers ? buffer() : arithmetic();
  case 11:
    return depth < shape.depthMax ? diamond(depth) : shift();
  case 12:
    return depth < shape.depthMax ? loop(depth) : compare();
  default:
    return arithmetic();
  }
}

std::string declarations() {
  std::string text;
  for (unsigned w : {8, 16, 32, 64}) {
    std::string t = type(w);
    for (const char *name : {"umin", "umax", "smin", "smax"})
      text += "declare " + t + " @llvm." + name + "." + t + "(" + t + ", " + t +
              ")\n";
    text += "declare " + t + " @llvm.ctpop." + t + "(" + t + ")\n";
    for (const char *name : {"ctlz", "cttz"})
      text += "declare " + t + " @llvm." + name + "." + t + "(" + t + ", i1)\n";
    if (w > 8)
      text += "declare " + t + " @llvm.bswap." + t + "(" + t + ")\n";
    for (const char *name : {"fshl", "fshr"})
      text += "declare " + t + " @llvm." + name + "." + t + "(" + t + ", " + t +
              ", " + t + ")\n";
  }
  return text;
}

} // namespace

std::string randomProgram(uint64_t seed, const ProgramShape &shape) {
  std::mt19937_64 random(seed);
  std::string text = declarations();
  std::vector<Callee> callees;
  for (unsigned f = 0; f < shape.functions; ++f) {
    FunctionText function(random, shape, callees);
    Callee callee{"f" + std::to_string(f), {}, function.width()};
    std::string parameters;
    for (unsigned n = function.pick(12), i = 0; i < n; ++i) {
      unsigned w = function.width();
      callee.arguments.push_back(w);
      std::string name = "%p" + std::to_string(i);
      parameters += (i ? ", " : "") + type(w) + " " + name;
      function.values.push_back({name, w});
    }
    function.statements(4 + function.pick(8), 1);
    std::string result = function.use(callee.result);
    text += "define internal " + type(callee.result) + " @" + callee.name +
            "(" + parameters + ") noinline {\nentry:\n" + function.text +
            "  ret " + type(callee.result) + " " + result + "\n}\n";
    callees.push_back(callee);
  }
  FunctionText body(random, shape, callees);
  body.hasArray = body.hasBuffers = shape.memory;
  if (shape.memory) {
    body.line("%array = alloca [8 x i32], align 4");
    body.line("store <8 x i32> zeroinitializer, ptr %array, align 4");
  }
  auto word = [&](const char *buffer, unsigned index) {
    std::string pointer = body.fresh();
    body.line(pointer + " = getelementptr i32, ptr addrspace(1) " + buffer +
              ", i32 " + std::to_string(index));
    return pointer;
  };
  for (unsigned i = 0; i < shape.liveValues; ++i)
    body.define(32, "load i32, ptr addrspace(1) " + word("%in", i));
  std::vector<Value> live = body.values;
  body.statements(shape.statements, 0);
  for (unsigned i = 0; i < shape.liveValues; ++i)
    body.line("store i32 " + live[i].name + ", ptr addrspace(1) " +
              word("%out", i));
  constexpr unsigned Results = 64;
  for (unsigned i = shape.liveValues; i < Results; ++i) {
    std::string v = body.use(32);
    body.line("store i32 " + v + ", ptr addrspace(1) " + word("%out", i));
  }
  return text +
         "define void @body(ptr addrspace(1) %in, ptr addrspace(1) "
         "%out, ptr addrspace(2) %dram, ptr addrspace(3) %scratch) "
         "noinline {\nentry:\n" +
         body.text + "  ret void\n}\n";
}

std::string withMain(const std::string &program) {
  return program +
         "declare void @__ixp_halt()\n"
         "define void @me_main() {\n"
         "  %in = inttoptr i32 " +
         std::to_string(InputAddress) +
         " to ptr addrspace(1)\n"
         "  %out = inttoptr i32 " +
         std::to_string(OutputAddress) +
         " to ptr addrspace(1)\n"
         "  %dram = inttoptr i32 12288 to ptr addrspace(2)\n"
         "  %scratch = inttoptr i32 256 to ptr addrspace(3)\n"
         "  call void @body(ptr addrspace(1) %in, ptr addrspace(1) %out, "
         "ptr addrspace(2) %dram, ptr addrspace(3) %scratch)\n"
         "  call void @__ixp_halt()\n"
         "  unreachable\n}\n";
}

} // namespace karakal::tests
