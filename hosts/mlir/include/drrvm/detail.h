// The C interface between the C++ side and the Rust side. Projects include "drrvm/mlir.h" instead.
#ifndef DRRVM_DETAIL_H
#define DRRVM_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Offsets in bytes into MLIR's objects; `src/layout.rs` has the values and their meaning.
typedef struct DrrvmLayout {
  uint32_t opBlock, opLocation, opResultCount, opFlags, opName, opAttributes;
  uint32_t operandStorageFlag, propertiesShift;
  uint32_t operandStorageSize, operandCount, operandArray;
  uint32_t operandNextUse, operandOwner, operandValue;
  uint32_t inlineResults, inlineResultSize, lateResultSize, lateResultNumber;
  uint32_t valueFirstUse, valueType, argumentKind;
  uint32_t dictionaryEntries;
} DrrvmLayout;

typedef struct DrrvmNamedAttr {
  const void *name;
  const void *value;
  /// True if the rules have a definition of the operation, and the definition declares the attribute or property.
  bool inherent;
} DrrvmNamedAttr;

/// The place of an attribute of an operation that has properties.
enum DrrvmInherent {
  /// The definition of the operation declares the attribute as an inherent attribute.
  DRRVM_INHERENT = 0,
  /// No operation of this name stores the attribute as a property.
  DRRVM_NEVER_INHERENT = 1,
  /// This operation stores the attribute as a property. Possibly, other operations of this name do not store it.
  DRRVM_INHERENT_HERE = 2,
  /// This operation does not store the attribute as a property. Other operations of this name may store it.
  DRRVM_NOT_INHERENT_HERE = 3
};

typedef struct DrrvmString {
  const char *data;
  size_t length;
} DrrvmString;

typedef struct DrrvmStrings {
  const DrrvmString *data;
  size_t count;
} DrrvmStrings;

/// The kinds of arguments and results of natives.
enum DrrvmKind {
  DRRVM_OP = 0,
  DRRVM_VALUE = 1,
  DRRVM_VALUES = 2,
  DRRVM_TYPE = 3,
  DRRVM_TYPES = 4,
  DRRVM_ATTR = 5,
  DRRVM_ATTRS = 6,
  DRRVM_INT = 7,
  DRRVM_BOOL = 8,
  DRRVM_STRING = 9,
  DRRVM_LOCATION = 10,
  /// An argument of any kind, in signatures only.
  DRRVM_ANY = 11,
  /// An integer of a fixed width.
  DRRVM_APINT = 12,
  /// A float.
  DRRVM_APFLOAT = 13
};

/// A float: its `llvm::fltSemantics`, and its bits, the lowest first.
typedef struct DrrvmFloat {
  const void *semantics;
  uint64_t bits[2];
} DrrvmFloat;

/// An argument or result of a native. `data` is MLIR's pointer, an array of `count` pointers, or a string of `count`
/// bytes; an integer or Boolean is in `count`. An integer of a fixed width has `count` bits in an array of `uint64_t`,
/// the lowest first. A float is a `DrrvmFloat`.
typedef struct DrrvmEntity {
  uint32_t kind;
  const void *data;
  size_t count;
} DrrvmEntity;

/// Receives a result of a native; its arrays are copied.
typedef void (*DrrvmPush)(void *results, const DrrvmEntity *result);

/// A call of a native. Returns false if a constraint does not hold or a rewrite refuses. `rewriter` is an
/// `mlir::PatternRewriter`; a constraint must not change the IR.
typedef bool (*DrrvmCall)(const void *function, void *rewriter, const DrrvmEntity *args, size_t count,
                          DrrvmPush push, void *results);

enum DrrvmRole {
  DRRVM_CONSTRAINT = 0,
  DRRVM_REWRITE = 1,
  /// Infers the result types of operations with the native's name. Its arguments are the operands and a dictionary of
  /// the attributes, and its results are the types.
  DRRVM_TYPE_INFERENCE = 2
};

typedef struct DrrvmNative {
  DrrvmString name;
  uint32_t role;
  /// The kinds of the parameters; `paramCount` is -1 for any number of parameters of any kind.
  const uint32_t *params;
  ptrdiff_t paramCount;
  const uint32_t *results;
  size_t resultCount;
  DrrvmCall call;
  /// The first argument of `call`. It must exist until the process ends.
  const void *function;
} DrrvmNative;

enum DrrvmSeverity { DRRVM_ERROR = 0, DRRVM_WARNING = 1, DRRVM_NOTE = 2 };

/// A message about rules. `file` is empty if the message has no place. A note belongs to the message before it.
typedef struct DrrvmMessage {
  uint32_t severity;
  DrrvmString text, file;
  uint32_t line, column;
} DrrvmMessage;

typedef void (*DrrvmReport)(void *user, const DrrvmMessage *message);

typedef struct DrrvmSource {
  /// Rule files; or, if there are none, the bytes of a compiled program.
  DrrvmStrings files;
  const uint8_t *program;
  size_t programSize;
  DrrvmStrings includes, defines, scripts, enable, disable;
  bool allowMissing;
  /// True if matching collects counts for `drrvm_rules_write_profile`, which makes matching slower.
  bool profile;
  const DrrvmNative *natives;
  size_t nativeCount;
} DrrvmSource;

typedef struct DrrvmRules DrrvmRules;

/// A pattern that stands for all rules with one root and one benefit. A pattern that `drrvm_rules_root` returns stands
/// for all rules with one root.
typedef struct DrrvmPattern {
  /// The name of the root; empty for any operation.
  DrrvmString root;
  uint16_t benefit;
} DrrvmPattern;

enum DrrvmOutcome { DRRVM_NO_MATCH = 0, DRRVM_APPLIED = 1, DRRVM_REFUSED = 2 };

typedef struct DrrvmCounts {
  uint64_t matches, rewrites, refusals;
} DrrvmCounts;

typedef void (*DrrvmRuleCount)(void *user, DrrvmString rule, uint64_t rewrites);

/// The engine of drrvm's own drivers. `auto` uses the tree until the labels of the automaton are worth their cost.
enum DrrvmEngine { DRRVM_ENGINE_TREE = 0, DRRVM_ENGINE_AUTOMATON = 1, DRRVM_ENGINE_AUTO = 2 };

/// Options of drrvm's own drivers. If `walk` is true, all options except `engine` are ignored.
typedef struct DrrvmDriver {
  uint32_t engine;
  bool walk, topDown, fold, uniqueConstants;
  /// The maximum number of sweeps, and the maximum number of rewrites in a sweep; -1 for no limit.
  int64_t maxIterations, maxRewrites;
} DrrvmDriver;

/// Registers a native for all rules that are loaded later. A later native replaces an earlier native with the same name
/// and parameters.
void drrvm_register_native(const DrrvmNative *native);

/// Loads rules and links them to a context (`mlir::MLIRContext`). Returns null after an error, which is reported.
DrrvmRules *drrvm_rules_load(void *context, const DrrvmSource *source, DrrvmReport report, void *user);
void drrvm_rules_destroy(DrrvmRules *rules);
size_t drrvm_rules_pattern_count(const DrrvmRules *rules);
DrrvmPattern drrvm_rules_pattern(const DrrvmRules *rules, size_t index);
/// Tries the rules of the pattern `index` that match `op` (`mlir::Operation`) in order, until a rule is applied.
/// `rewriter` is an `mlir::RewriterBase`. Returns a `DrrvmOutcome`. If all of these rules refuse, `reason` receives the
/// last reason.
int drrvm_rules_apply(const DrrvmRules *rules, size_t index, void *op, void *rewriter, DrrvmReport reason,
                      void *user);
/// The roots of the rules, each with the highest benefit of its rules. If a rule has no root name, the list has a
/// single entry, for any operation.
size_t drrvm_rules_root_count(const DrrvmRules *rules);
DrrvmPattern drrvm_rules_root(const DrrvmRules *rules, size_t index);
/// Does the same as `drrvm_rules_apply`, but tries all rules that match `op`.
int drrvm_rules_apply_all(const DrrvmRules *rules, void *op, void *rewriter, DrrvmReport reason, void *user);
/// Applies all rules inside `op` with drrvm's own driver. Returns false if a limit was reached, which is reported.
bool drrvm_rules_drive(const DrrvmRules *rules, void *op, const DrrvmDriver *driver, DrrvmReport report, void *user);
/// For each rule with the name or label `rule`, reports a match at `op`, or the reason why the rule does not match. If
/// `rule` is empty, reports on all rules that start at `op`.
void drrvm_rules_explain(const DrrvmRules *rules, void *op, DrrvmString rule, DrrvmReport report, void *user);
/// Returns true if a rule has the name or label `name`. Otherwise, reports an error, and returns false.
bool drrvm_rules_find(const DrrvmRules *rules, DrrvmString name, DrrvmReport report, void *user);
/// Matches operations without rewriting them, and returns the number of operations at which a rule matches. The
/// automaton labels the operations in each call, and keeps its tables for later calls in the same thread.
size_t drrvm_rules_match(const DrrvmRules *rules, void *const *ops, size_t count, bool automaton);
/// Visits an operation and the operations inside it, reads the name of each operation and the operation that defines
/// its first operand, and returns the number of visits. This is the minimum work of a driver.
size_t drrvm_rules_walk(const DrrvmRules *rules, void *op);
DrrvmCounts drrvm_rules_counts(const DrrvmRules *rules);
/// Calls `each` with the name of each rule and the number of its rewrites.
void drrvm_rules_count_by_rule(const DrrvmRules *rules, DrrvmRuleCount each, void *user);
/// Calls `each` for each rule that MLIR's drivers have applied in this thread since the last call of this function,
/// with the name of the rule and the number of its rewrites. The most frequent rule comes first. Only the last 1,024
/// rewrites count.
void drrvm_rules_take_recent(const DrrvmRules *rules, DrrvmRuleCount each, void *user);
/// Writes the profile of rules that were loaded with `profile` to a file: an HTML page if its name ends in `.html`,
/// else JSON. `operations` is the number of operations that the drivers started with. Returns false after an error,
/// which is reported.
bool drrvm_rules_write_profile(const DrrvmRules *rules, DrrvmString path, uint64_t operations, DrrvmReport report,
                               void *user);
/// Reports the failures that no call has reported yet: failures of natives in scripts, and expressions or helpers that
/// exceeded their budget. Returns true if a failure is an error.
bool drrvm_rules_failures(const DrrvmRules *rules, DrrvmReport report, void *user);

#ifdef __cplusplus
}
#endif

#endif // DRRVM_DETAIL_H
