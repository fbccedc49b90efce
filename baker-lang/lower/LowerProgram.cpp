// Lowers the declarations of a program to the baker dialect.
//
// The symbols of the module come in this order: protocols, metadata, drop
// reasons, globals, tables, channels, functions, bodies of PPFs.

#include "baker-lang/lower/FunctionLowering.h"
#include "baker-lang/lower/ProgramLowering.h"

#include "baker-lang/tree/ControlFunctions.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Runtime.h"
#include "ir/dialect/Target.h"
#include "support/Error.h"
#include "support/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"

using mlir::Location;

namespace karakal::lang {

ProgramLowering::ProgramLowering(const Program &program,
                                 const SourceManager &sources,
                                 mlir::MLIRContext &context,
                                 const LoweringOptions &options)
    : program(program), sources(sources), options(options), builder(&context) {
  context.loadDialect<ir::BakerDialect, mlir::arith::ArithDialect,
                      mlir::cf::ControlFlowDialect, mlir::func::FuncDialect>();
}

Location ProgramLowering::location(SourceRange range) const {
  const SourceFile &file = sources.file(range.file);
  SourceLocation location = file.location(range.begin);
  return mlir::FileLineColLoc::get(builder.getContext(), file.path(),
                                   location.line, location.column);
}

uint32_t ProgramLowering::lineOf(SourceRange range) const {
  return sources.file(range.file).location(range.begin).line;
}

mlir::Type ProgramLowering::packetType(const ProtocolDecl *protocol) {
  return ir::PacketType::get(builder.getContext(), protocol->name);
}

mlir::Type ProgramLowering::lowerType(const Type *type) {
  mlir::MLIRContext *context = builder.getContext();
  switch (type->kind) {
  case TypeKind::Array:
    return ir::ArrayType::get(context, type->elementCount,
                              storedType(type->element));
  case TypeKind::Packet:
    return packetType(type->protocol);
  case TypeKind::Struct: {
    std::vector<mlir::StringAttr> names;
    std::vector<mlir::Type> types;
    for (const StructField &field : type->structDecl->fields) {
      names.push_back(builder.getStringAttr(field.name.name));
      types.push_back(storedType(field.type));
    }
    return ir::StructType::get(context, type->declName, names, types);
  }
  case TypeKind::Lock:
    return builder.getI32Type();
  case TypeKind::Queue:
    return queueType(type);
  default:
    return builder.getIntegerType(type->bits());
  }
}

mlir::Type ProgramLowering::storedType(const Type *type) {
  if (!type->isWide())
    return lowerType(type);
  auto name = [&](const char *suffix) {
    return builder.getStringAttr(llvm::StringRef(suffix).drop_front());
  };
  return ir::StructType::get(
      builder.getContext(), type->str(),
      {name(wideHighSuffix), name(wideLowSuffix)},
      {builder.getIntegerType(type->width - 64), builder.getI64Type()});
}

mlir::OwningOpRef<mlir::ModuleOp> ProgramLowering::run() {
  KARAKAL_ASSERT(!module, "a program is lowered once");
  module = mlir::ModuleOp::create(sources.size() == 0 ? builder.getUnknownLoc()
                                                      : location({0, 0, 0}));
  builder.setInsertionPointToEnd(module->getBody());
  for (const auto &decl : program.decls.protocols)
    lowerProtocol(*decl);
  lowerMetadata();
  lowerDropReasons();
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.globals)
      lowerGlobal(*decl);
  });
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.tables)
      lowerTable(*decl);
  });
  lowerReceiveChannels();
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.ppfs)
      lowerChannels(*decl);
  });
  // Functions with pointer parameters are lowered when they are called.
  auto takesPointers = [](const FunctionDecl &decl) {
    return llvm::any_of(decl.parameters, [](const Parameter &parameter) {
      return parameter.decl->type->isPointer();
    });
  };
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.functions)
      if (!takesPointers(*decl))
        lowerFunction(*decl, decl->symbol, {});
  });
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.bodies)
      lowerFunction(*decl, decl->symbol, {});
  });
  lowerPortDispatch();
  declareBytesProtocol();
  declareBuiltinReason(noReceiverName);
  declareBuiltinReason(ir::noSpaceReasonName);
  declareBuiltinReason(queueFullName);
  declareBuiltinReason("too_many_rounds"); // countRounds makes the drops
  ir::setRefusals(*module, refusals);
  return std::move(module);
}

/// Declares the fields that accesses of bytes use.
void ProgramLowering::declareBytesProtocol() {
  std::map<std::pair<uint32_t, uint32_t>, std::string> used;
  auto use = [&](mlir::Value packet, llvm::StringRef field) {
    auto type = llvm::cast<ir::PacketType>(packet.getType());
    if (type.getProtocol() != bytesProtocolName)
      return;
    auto [byte, width] = field.split(':');
    uint32_t byteNumber, bits;
    bool isBad =
        byte.getAsInteger(10, byteNumber) || width.getAsInteger(10, bits);
    KARAKAL_ASSERT(!isBad, "a field of bytes is named by place and width");
    used[{byteNumber, bits}] = field.str();
  };
  bool isNeeded = false;
  module->walk(
      [&](ir::PacketReadOp read) { use(read.getPacket(), read.getField()); });
  module->walk([&](ir::PacketWriteOp write) {
    use(write.getPacket(), write.getField());
  });
  module->walk([&](ir::PacketDecapOp decap) {
    isNeeded |=
        llvm::cast<ir::PacketType>(decap.getPacket().getType()).getProtocol() ==
        bytesProtocolName;
  });
  if (!isNeeded)
    return;
  std::vector<mlir::Attribute> fields;
  for (auto &[place, name] : used)
    fields.push_back(ir::ProtocolFieldAttr::get(
        builder.getContext(), name, 8 * place.first, place.second, 1));
  builder.setInsertionPointToEnd(module->getBody());
  builder.create<ir::ProtocolOp>(module->getLoc(), bytesProtocolName,
                                 builder.getArrayAttr(fields), 0, false);
}

void ProgramLowering::lowerMetadata() {
  for (const char *name : {rxLengthName, rxTimeName})
    if (carries(name))
      builder.create<ir::MetadataOp>(
          module->getLoc(), name, lowerType(program.metadata.at(name)->type));
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.metadata)
      if (!decl->first)
        lowerMetadata(*decl);
  });
}

void ProgramLowering::lowerMetadata(const MetadataDecl &decl) {
  mlir::Location at = location(decl.range);
  if (!decl.type->isWide()) {
    builder.create<ir::MetadataOp>(at, decl.name, lowerType(decl.type));
    return;
  }
  builder.create<ir::MetadataOp>(at, decl.name + wideHighSuffix,
                                 builder.getIntegerType(decl.type->width - 64));
  builder.create<ir::MetadataOp>(at, decl.name + wideLowSuffix,
                                 builder.getI64Type());
}

void ProgramLowering::lowerDropReasons() {
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &decl : list.dropReasons)
      if (program.dropReasons.at(decl->name) == decl.get())
        builder.create<ir::DropReasonOp>(location(decl->range), decl->name);
  });
}

int32_t ProgramLowering::refusalNumber(const std::string &text) {
  auto known = llvm::find(refusals, text);
  if (known == refusals.end())
    known = refusals.insert(refusals.end(), text);
  return FirstRefusal + int32_t(known - refusals.begin());
}

bool ProgramLowering::carries(const char *name) const {
  auto isUsed = [&](const char *other) {
    return program.metadata.at(other)->isUsed;
  };
  // A program that sends packets to the receiving input itself needs the length
  // to recognize them (setReceiveMetadataOnce).
  bool hasResentPackets = onlyReceiver() && onlyReceiver()->feederCount > 1;
  return isUsed(name) ||
         (name == rxLengthName && hasResentPackets && isUsed(rxTimeName));
}

void ProgramLowering::declareBuiltinReason(llvm::StringRef name) {
  bool isUsed = false;
  module->walk(
      [&](ir::PacketDropOp drop) { isUsed |= drop.getReason() == name; });
  module->walk(
      [&](ir::DropCountOp count) { isUsed |= count.getReason() == name; });
  if (!isUsed || module->lookupSymbol(name))
    return;
  builder.setInsertionPointToEnd(module->getBody());
  builder.create<ir::DropReasonOp>(module->getLoc(), name);
}

void ProgramLowering::lowerProtocol(const ProtocolDecl &decl) {
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
    add(field->name + wideHighSuffix, offset, width - 64, 1);
    add(field->name + wideLowSuffix, offset + width - 64, 64, 1);
  }
  builder.create<ir::ProtocolOp>(location(decl.range), decl.name,
                                 builder.getArrayAttr(fields), decl.bytesMin,
                                 decl.isConstantSize);
}

void ProgramLowering::lowerGlobal(const GlobalDecl &decl) {
  mlir::DenseI64ArrayAttr init;
  if (!decl.initial.empty())
    init = builder.getDenseI64ArrayAttr(
        std::vector<int64_t>(decl.initial.begin(), decl.initial.end()));
  auto op = builder.create<ir::GlobalOp>(location(decl.range), decl.symbol,
                                         storedType(decl.type), init);
  if (decl.requestedMemory)
    ir::setRequestedMemory(op, *decl.requestedMemory);
  if (decl.toleratedOneIn != 0)
    op->setAttr(ir::tolerateAttrName,
                builder.getI64IntegerAttr(int64_t(decl.toleratedOneIn)));
  lowerQueueLocks(decl);
}

void ProgramLowering::lowerChannels(const PpfDecl &decl) {
  std::set<const EndpointDecl *> fromControl = outputsOfControl(program);
  for (const auto &endpoint : decl.endpoints) {
    for (size_t i = 0; i < endpoint->destinations.size(); ++i) {
      const EndpointDecl *input = endpoint->destinations[i].input;
      auto create = [&](const std::string &symbol) {
        builder.create<ir::ChannelOp>(
            location(endpoint->range), symbol, endpoint->type->protocol->name,
            decl.symbol(), input ? input->symbol() : ir::txConsumerName.str());
      };
      if (hasInput(decl))
        create(endpoint->channelSymbol(i));
      if (fromControl.count(endpoint.get()))
        create(controlChannelSymbol(*endpoint, i));
    }
  }
}

void ProgramLowering::setControlSignature(mlir::func::FuncOp op,
                                          const FunctionDecl &decl) {
  unsigned next = 0;
  auto describe = [&](const std::string &name, const std::string &type) {
    op.setArgAttr(next, ir::nameAttrName, builder.getStringAttr(name));
    op.setArgAttr(next++, ir::typeAttrName, builder.getStringAttr(type));
  };
  for (const Parameter &parameter : decl.parameters) {
    const std::string &name = parameter.decl->name;
    const Type *type = parameter.decl->type;
    if (!type->isWide()) {
      describe(name, type->str());
      continue;
    }
    describe(name + wideHighSuffix, "u" + std::to_string(type->width - 64));
    describe(name + wideLowSuffix, "u64");
  }
  KARAKAL_ASSERT(next == op.getNumArguments(),
                 "'" + decl.name + "' has an argument without a name");
  if (decl.result->isScalar())
    op.setResultAttr(0, ir::typeAttrName,
                     builder.getStringAttr(decl.result->str()));
}

std::string ProgramLowering::functionFor(const FunctionDecl &decl,
                                         const std::vector<AccessPath> &paths) {
  if (paths.empty())
    return decl.symbol;
  auto [entry, isNew] = copies.emplace(CopyKey{&decl, paths}, "");
  if (!isNew)
    return entry->second;
  entry->second = decl.symbol + "." + std::to_string(++copyCounts[&decl]);
  std::string symbol = entry->second;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module->getBody());
  lowerFunction(decl, symbol, paths);
  return symbol;
}

mlir::func::FuncOp
ProgramLowering::createFunction(const FunctionDecl &decl,
                                const std::string &symbol,
                                const std::vector<AccessPath> &paths) {
  std::vector<mlir::Type> inputs, results;
  for (const Parameter &parameter : decl.parameters) {
    const Type *type = parameter.decl->type;
    if (isPassedInParts(decl, type)) {
      inputs.push_back(builder.getIntegerType(type->width - 64));
      inputs.push_back(builder.getI64Type());
    } else if (!type->isPointer()) {
      inputs.push_back(lowerType(type));
    }
  }
  // The indices of the access paths replace the pointers.
  for (const AccessPath &path : paths)
    inputs.insert(inputs.end(), path.indexCount(), builder.getI32Type());
  if (decl.result->isScalar())
    results.push_back(lowerType(decl.result));
  auto op = builder.create<mlir::func::FuncOp>(
      location(decl.range), symbol, builder.getFunctionType(inputs, results));
  switch (decl.role) {
  case Role::Function:
    ir::setKind(op, ir::FunctionKind::Function);
    op.setPrivate();
    if (decl.isInline) // passed on to LLVM
      op->setAttr("passthrough", builder.getStrArrayAttr({"alwaysinline"}));
    break;
  case Role::Control:
    ir::setKind(op, ir::FunctionKind::Control);
    if (decl.isExclusive)
      op->setAttr(ir::exclusiveAttrName, builder.getUnitAttr());
    if (auto interval = intervalOf(decl))
      op->setAttr(ir::intervalAttrName,
                  builder.getI64IntegerAttr(int64_t(*interval)));
    setControlSignature(op, decl);
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
  return op;
}

void ProgramLowering::lowerFunction(const FunctionDecl &decl,
                                    const std::string &symbol,
                                    const std::vector<AccessPath> &paths) {
  mlir::func::FuncOp op = createFunction(decl, symbol, paths);
  FunctionLowering(*this, decl, op, paths).run();
}

} // namespace karakal::lang
