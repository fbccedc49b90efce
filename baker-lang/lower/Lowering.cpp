// From the syntax tree to the baker dialect.
//
// The symbols of a program, in this order: protocols, metadata, drop reasons,
// globals, channels, functions, bodies of PPFs.

#include "baker-lang/lower/Lowering.h"

#include "ir/dialect/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"

using mlir::Location;

namespace karakal::lang {

Lowering::Lowering(const Program &program, const SourceManager &sources,
                   mlir::MLIRContext &context, bool hasTraces)
    : hasTraces(hasTraces), program(program), sources(sources),
      builder(&context) {
  context.loadDialect<ir::BakerDialect, mlir::arith::ArithDialect,
                      mlir::cf::ControlFlowDialect, mlir::func::FuncDialect>();
}

Location Lowering::location(SourceRange range) const {
  const SourceFile &file = sources.file(range.file);
  SourcePlace place = file.place(range.begin);
  return mlir::FileLineColLoc::get(builder.getContext(), file.path(),
                                   place.line, place.column);
}

mlir::Type Lowering::packetType(const ProtocolDecl *protocol) {
  return ir::PacketType::get(builder.getContext(), protocol->name);
}

mlir::Type Lowering::type(const Type *type) {
  mlir::MLIRContext *context = builder.getContext();
  switch (type->kind) {
  case TypeKind::Array:
    return ir::ArrayType::get(context, type->size, this->type(type->element));
  case TypeKind::Packet:
    return packetType(type->protocol);
  case TypeKind::Struct: {
    std::vector<mlir::StringAttr> names;
    std::vector<mlir::Type> types;
    for (const StructField &field : type->record->fields) {
      names.push_back(builder.getStringAttr(field.name.name));
      types.push_back(this->type(field.type));
    }
    return ir::StructType::get(context, type->record->name, names, types);
  }
  case TypeKind::Lock:
    return builder.getI32Type();
  default:
    return builder.getIntegerType(type->bits());
  }
}

mlir::OwningOpRef<mlir::ModuleOp> Lowering::run() {
  module = mlir::ModuleOp::create(sources.size() == 0 ? builder.getUnknownLoc()
                                                      : location({0, 0, 0}));
  builder.setInsertionPointToEnd(module->getBody());
  for (const auto &decl : program.decls.protocols)
    protocol(*decl);
  // What the receiver counts and times is kept if somebody asks.
  for (const char *name : {rxLengthName, rxTimeName})
    if (isUsed(name))
      builder.create<ir::MetadataOp>(module->getLoc(), name,
                                     type(program.metadata.at(name)->type));
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.metadata)
      if (!decl->first)
        builder.create<ir::MetadataOp>(location(decl->range), decl->name,
                                       type(decl->type));
  });
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.dropReasons)
      if (program.dropReasons.at(decl->name) == decl.get())
        builder.create<ir::DropReasonOp>(location(decl->range), decl->name);
  });
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.globals)
      global(*decl);
  });
  receivers();
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.ppfs)
      channels(*decl);
  });
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.functions)
      function(*decl);
  });
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.bodies)
      function(*decl);
  });
  sortByPort();
  declareReason(noReceiverName);
  declareReason(ir::noRoomReasonName);
  return std::move(module);
}

bool Lowering::isUsed(const char *metadata) const {
  auto isAsked = [&](const char *name) {
    return program.metadata.at(name)->isUsed;
  };
  // The length tells a packet that comes to the receiver's input again.
  bool comesAgain = receiver() && receiver()->feederCount > 1;
  return isAsked(metadata) ||
         (metadata == rxLengthName && comesAgain && isAsked(rxTimeName));
}

/// A built-in reason, if a packet is dropped for it or somebody asks how many
/// were.
void Lowering::declareReason(llvm::StringRef name) {
  bool isUsed = false;
  module->walk(
      [&](ir::PacketDropOp drop) { isUsed |= drop.getReason() == name; });
  module->walk([&](ir::DropCountOp ask) { isUsed |= ask.getReason() == name; });
  if (!isUsed || module->lookupSymbol(name))
    return;
  builder.setInsertionPointToEnd(module->getBody());
  builder.create<ir::DropReasonOp>(module->getLoc(), name);
}

void Lowering::protocol(const ProtocolDecl &decl) {
  std::vector<mlir::Attribute> fields;
  auto add = [&](const std::string &name, uint32_t offset, uint32_t width,
                 uint32_t count) {
    fields.push_back(ir::ProtocolFieldAttr::get(builder.getContext(), name,
                                                offset, width, count));
  };
  for (const auto &field : decl.fields) {
    uint32_t width = field->type->width, offset = field->offsetBits;
    if (!field->type->isWide()) {
      add(field->name, offset, width, field->count);
      continue;
    }
    if (field->isArray) {
      add(field->name, offset, 64, 2 * field->count);
      continue;
    }
    add(field->name + wideHigh, offset, width - 64, 1);
    add(field->name + wideLow, offset + width - 64, 64, 1);
  }
  builder.create<ir::ProtocolOp>(location(decl.range), decl.name,
                                 builder.getArrayAttr(fields), decl.bytesMin,
                                 decl.isConstantSize);
}

void Lowering::global(const GlobalDecl &decl) {
  mlir::DenseI64ArrayAttr init;
  if (!decl.initial.empty())
    init = builder.getDenseI64ArrayAttr(
        std::vector<int64_t>(decl.initial.begin(), decl.initial.end()));
  auto op = builder.create<ir::GlobalOp>(location(decl.range), decl.symbol,
                                         type(decl.type), init);
  if (!decl.placeIn.empty())
    op->setAttr(ir::placeInAttrName, builder.getStringAttr(decl.placeIn));
  if (decl.toleratedOneIn != 0)
    op->setAttr(ir::tolerateAttrName,
                builder.getI64IntegerAttr(int64_t(decl.toleratedOneIn)));
}

void Lowering::channels(const PpfDecl &decl) {
  for (const auto &endpoint : decl.endpoints) {
    for (size_t i = 0; i < endpoint->destinations.size(); ++i) {
      const EndpointDecl *input = endpoint->destinations[i].input;
      builder.create<ir::ChannelOp>(
          location(endpoint->range), endpoint->channel(i),
          endpoint->type->protocol->name, decl.symbol(),
          input ? input->symbol() : ir::txConsumerName.str());
    }
  }
}

void Lowering::controlSignature(mlir::func::FuncOp op,
                                const FunctionDecl &decl) {
  for (unsigned i = 0; i < decl.parameters.size(); ++i) {
    const VarDecl *parameter = decl.parameters[i].decl;
    op.setArgAttr(i, ir::nameAttrName, builder.getStringAttr(parameter->name));
    op.setArgAttr(i, ir::typeAttrName,
                  builder.getStringAttr(parameter->type->str()));
  }
  if (decl.result->isScalar())
    op.setResultAttr(0, ir::typeAttrName,
                     builder.getStringAttr(decl.result->str()));
}

void Lowering::function(const FunctionDecl &decl) {
  for (const Parameter &parameter : decl.parameters)
    if (parameter.decl->type->isPointer())
      return; // made for each place that it is called with
  function(decl, decl.symbol, {});
}

std::string Lowering::functionFor(const FunctionDecl &decl,
                                  const std::vector<PointedPath> &paths) {
  if (paths.empty())
    return decl.symbol;
  auto [entry, isNew] = copies.emplace(CopyKey{&decl, paths}, "");
  if (!isNew)
    return entry->second;
  entry->second = decl.symbol + "." + std::to_string(++copyCounts[&decl]);
  std::string symbol = entry->second;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module->getBody());
  function(decl, symbol, paths);
  return symbol;
}

void Lowering::function(const FunctionDecl &decl, const std::string &symbol,
                        const std::vector<PointedPath> &paths) {
  std::vector<mlir::Type> inputs, results;
  for (const Parameter &parameter : decl.parameters)
    if (!parameter.decl->type->isPointer())
      inputs.push_back(type(parameter.decl->type));
  // In place of the pointers, the indices on the way to their places.
  for (const PointedPath &path : paths)
    inputs.insert(inputs.end(), path.indexCount(), builder.getI32Type());
  if (decl.result->isScalar())
    results.push_back(type(decl.result));
  auto op = builder.create<mlir::func::FuncOp>(
      location(decl.range), symbol, builder.getFunctionType(inputs, results));
  switch (decl.role) {
  case Role::Function:
    ir::setKind(op, ir::FunctionKind::Function);
    op.setPrivate();
    if (decl.isInline) // LLVM obeys it
      op->setAttr("passthrough", builder.getStrArrayAttr({"alwaysinline"}));
    break;
  case Role::Control:
    ir::setKind(op, ir::FunctionKind::Control);
    controlSignature(op, decl);
    break;
  case Role::Init:
    ir::setKind(op, ir::FunctionKind::Init);
    break;
  case Role::Ppf:
    ir::setKind(op, ir::FunctionKind::Ppf);
    if (decl.ppf->isCold)
      op->setAttr(ir::coldAttrName, builder.getUnitAttr());
    break;
  }
  FunctionLowering(*this, decl, op, paths).run();
}

} // namespace karakal::lang
