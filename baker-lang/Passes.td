// The pass that gives declared tables their structures.

#ifndef KARAKAL_BAKERLANG_PASSES_TD
#define KARAKAL_BAKERLANG_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTables : Pass<"baker-lower-tables", "::mlir::ModuleOp"> {
  let summary = "choose the structure of each table and generate its code";
  let description = [{
    A structure is a template written in Baker (`runtime/tables/`). The pass
    chooses one for each table by the kinds of its key's fields, the key's width
    and the table's limit (`--explain=tables`). It fills in the template, compiles
    it with the front end, and adds the result to the module: the entries as
    global data, the look-up, and the control functions of the table.

    ```mlir
    %n = baker.table_find @routes(%dst) : i32
    // becomes
    %n = call @routes.find(%dst) : (i32) -> i32
    ```

    Requires: a module of the front end. Ensures: only `baker.table` is left of
    the operations on tables; it tells the structure that was chosen.
  }];
  let options = [
    Option<"templates", "templates", "std::string", "\"\"",
           "the folder of the templates (default: that of the runtime)">,
    Option<"forSpecialization", "for-specialization", "bool", "false",
           "look-ups return slots, for code that knows the entries">,
    Option<"onHost", "on-host", "bool", "false",
           "structures for the memory and the caches of a host">
  ];
  let statistics = [
    Statistic<"tableCount", "tables", "tables that got a structure">,
    Statistic<"lookupCount", "look-ups", "look-ups that became calls">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif // KARAKAL_BAKERLANG_PASSES_TD
