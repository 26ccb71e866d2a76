// The C interface of drrvm, generated from hosts/c/src by cbindgen. `DRRVM_BLESS=1 cargo test` updates it.

#ifndef DRRVM_H
#define DRRVM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The outcome of a function.
typedef enum drrvm_status {
  // Success.
  DRRVM_STATUS_OK = 0,
  // No rule matches.
  DRRVM_STATUS_NO_MATCH = 1,
  // A handle was never returned, was freed, or has another kind.
  DRRVM_STATUS_BAD_HANDLE = 2,
  // An argument is invalid, such as a null pointer, a name that is not UTF-8, or an unknown kind.
  DRRVM_STATUS_BAD_ARGUMENT = 3,
  // The bytes are not a compiled program, have another version of the format, or are damaged.
  DRRVM_STATUS_BAD_PROGRAM = 4,
  // Natives that rules call are missing or have a signature that does not fit a call.
  DRRVM_STATUS_MISSING_NATIVES = 5,
  // The limit on rewrites or on sweeps was reached.
  DRRVM_STATUS_NOT_CONVERGED = 6,
  // A bug in the library; the IR may be partially rewritten.
  DRRVM_STATUS_INTERNAL = 7,
  // The host gave an invalid answer, such as a number of a name beyond the limit, an endless list of uses, or an
  // endless chain of parents. The called function reads and changes no further operations and values; the IR may be
  // partially rewritten.
  DRRVM_STATUS_BAD_HOST = 8,
} drrvm_status;

// The kinds of arguments and results of natives.
typedef enum drrvm_kind {
  // An operation.
  DRRVM_KIND_OP = 0,
  // A value.
  DRRVM_KIND_VALUE = 1,
  // A type.
  DRRVM_KIND_TYPE = 2,
  // An attribute.
  DRRVM_KIND_ATTR = 3,
  // An integer, stored in `number`.
  DRRVM_KIND_INT = 4,
  // A Boolean, stored in `number`.
  DRRVM_KIND_BOOL = 5,
} drrvm_kind;

// An operation, value, type, attribute, use or location: a pointer or number that the host chooses. Zero means
// "none".
typedef size_t drrvm_id;

// An argument or result of a native.
typedef struct drrvm_entity {
  // One of `drrvm_kind`.
  int kind;
  // An operation, value, type or attribute; zero for an absent value or attribute.
  drrvm_id id;
  // An integer or Boolean.
  int64_t number;
} drrvm_entity;

// A native constraint: returns true if it holds for its arguments. It must be pure and must not change the IR.
typedef bool (*drrvm_constraint)(void *data, const struct drrvm_entity *args, size_t count);

// A native rewrite: stores its results; returning false undoes the whole rewrite. It may create types and
// attributes, but must not change operations.
typedef bool (*drrvm_rewrite)(void *data,
                              const struct drrvm_entity *args,
                              size_t count,
                              struct drrvm_entity *results,
                              size_t result_count);

// An attribute of a new operation.
typedef struct drrvm_named_attr {
  // The host's number of the name.
  uint32_t name;
  // True if the definition of the operation declares the attribute, false if it is discardable.
  bool inherent;
  // The value.
  drrvm_id value;
} drrvm_named_attr;

// The parts of a new operation. The arrays are valid until the call returns.
typedef struct drrvm_op_state {
  // The host's number of the name.
  uint32_t name;
  // The operands.
  const drrvm_id *operands;
  // The number of operands.
  size_t operand_count;
  // The types of the results.
  const drrvm_id *result_types;
  // The number of results.
  size_t result_count;
  // The attributes.
  const struct drrvm_named_attr *attributes;
  // The number of attributes.
  size_t attribute_count;
  // The location.
  drrvm_id location;
  // The number of regions, which are empty. It is zero unless the host has `move_blocks`.
  uint32_t region_count;
} drrvm_op_state;

// A function that `walk` calls for each operation.
typedef void (*drrvm_visit)(void *closure, drrvm_id op);

// The functions that read and change an IR. The first argument of each is `data`.
//
// The functions for matching come first and are required. The functions for rewriting can be null in a host that only
// matches. The optional functions can be null. The default of an optional function is none or 0, unless its comment
// states another default.
typedef struct drrvm_host {
  // The first argument of each function.
  void *data;
  // The number of an operation's name, as returned by `bind_op_name`. Small numbers make small tables.
  uint32_t (*op_name)(void *data, drrvm_id op);
  // The number of operands of an operation.
  uint32_t (*operand_count)(void *data, drrvm_id op);
  // An operand of an operation.
  drrvm_id (*operand)(void *data, drrvm_id op, uint32_t index);
  // The number of results of an operation.
  uint32_t (*result_count)(void *data, drrvm_id op);
  // A result of an operation.
  drrvm_id (*result)(void *data, drrvm_id op, uint32_t index);
  // The attribute with this name, or none.
  drrvm_id (*attr)(void *data, drrvm_id op, uint32_t name);
  // The operation that defines a value, or none for a block argument.
  drrvm_id (*defining_op)(void *data, drrvm_id value);
  // The type of a value.
  drrvm_id (*value_type)(void *data, drrvm_id value);
  // The newest use of a value, or none.
  drrvm_id (*first_use)(void *data, drrvm_id value);
  // The next older use of the same value, or none.
  drrvm_id (*next_use)(void *data, drrvm_id used);
  // The operation that has the use as an operand.
  drrvm_id (*use_owner)(void *data, drrvm_id used);
  // The index of the operand.
  uint32_t (*use_index)(void *data, drrvm_id used);
  // The number of an operation name; new names get the next number, from zero.
  uint32_t (*bind_op_name)(void *data, const char *text, size_t length);
  // The number of an attribute name; new names get the next number, from zero.
  uint32_t (*bind_attr_name)(void *data, const char *text, size_t length);
  // The type with this MLIR text, or none.
  drrvm_id (*bind_type)(void *data, const char *text, size_t length);
  // The attribute with this MLIR text, or none.
  drrvm_id (*bind_attr)(void *data, const char *text, size_t length);
  // For rewriting: creates an operation immediately before `before`; returns none on failure.
  drrvm_id (*create)(void *data, drrvm_id before, const struct drrvm_op_state *state);
  // For rewriting: replaces all uses of `from` by `to`.
  void (*replace_all_uses)(void *data, drrvm_id from, drrvm_id to);
  // For rewriting: removes an operation whose results have no uses.
  void (*erase)(void *data, drrvm_id op);
  // For rewriting, and for rules that ask for it: the operation that contains this one, or none for the outermost
  // operation.
  drrvm_id (*parent_op)(void *data, drrvm_id op);
  // For rewriting: calls `visit` for `root` and all operations inside it. An operation comes before the operations
  // inside it, or with `post_order` after them.
  void (*walk)(void *data, drrvm_id root, bool post_order, drrvm_visit visit, void *closure);
  // Optional: the type of an attribute, or none.
  drrvm_id (*attr_type)(void *data, drrvm_id attr);
  // Optional: the location of an operation. Default: none.
  drrvm_id (*location)(void *data, drrvm_id op);
  // Optional: a location that combines several locations. Default: the first location.
  drrvm_id (*fuse_locations)(void *data, const drrvm_id *locations, size_t count);
  // Optional: true if an operation terminates its block. Default: false.
  bool (*is_terminator)(void *data, drrvm_id op);
  // Optional: the width of a signless integer type, or 0 for other types.
  uint32_t (*integer_width)(void *data, drrvm_id ty);
  // Optional: stores the value of an integer attribute of at most 64 bits in `value` and returns its width, or
  // returns 0 for other attributes.
  uint32_t (*attr_int)(void *data, drrvm_id attr, int64_t *value);
  // Optional: the integer attribute with this value and type, or none.
  drrvm_id (*make_int)(void *data, int64_t value, drrvm_id ty);
  // Optional: the signless integer type with this width, or none.
  drrvm_id (*make_integer_type)(void *data, uint32_t width);
  // Optional, for rules that move regions: moves all blocks of a region to an empty region of another operation. A
  // region is identified by its operation and its index. Returns false, without a change, if one of the regions does
  // not exist or if the second region is not empty. Default: such rules are refused.
  bool (*move_blocks)(void *data, drrvm_id from, uint32_t from_index, drrvm_id to, uint32_t to_index);
} drrvm_host;

// The counts of a rewriting run.
typedef struct drrvm_report {
  // The number of attempts to match an operation.
  uint64_t visited;
  // The number of rewrites.
  uint64_t rewrites;
  // The number of rewrites that failed and were undone. `rewrites` does not count them.
  uint64_t refused;
  // The number of removed dead operations.
  uint64_t removed;
} drrvm_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the message of the last call on this thread whose status was not `DRRVM_STATUS_OK`. The text is valid
// until the next such call.
const char *drrvm_last_error(void);

// Frees a handle of any kind.
enum drrvm_status drrvm_free(uint64_t handle);

// Loads a compiled rule set, as written by `drrvm compile`. The bytes are not needed after the call.
//
// # Safety
// `bytes` points to `length` bytes, and `program` to a handle.
enum drrvm_status drrvm_program_load(const uint8_t *bytes,
                                     size_t length,
                                     uint64_t *program);

// Stores the number of rules of a program. Rules are numbered from zero.
//
// # Safety
// `count` points to an integer.
enum drrvm_status drrvm_program_rule_count(uint64_t program, uint32_t *count);

// Copies the name of a rule to `buffer`, truncated to `capacity` bytes including a terminating zero. Stores the length
// of the whole name in `length`.
//
// # Safety
// `buffer` points to `capacity` bytes or is null; `length` points to an integer or is null.
enum drrvm_status drrvm_rule_name(uint64_t program,
                                  uint32_t rule,
                                  char *buffer,
                                  size_t capacity,
                                  size_t *length);

// Creates an empty set of natives.
//
// # Safety
// `natives` points to a handle.
enum drrvm_status drrvm_natives_new(uint64_t *natives);

// Registers a constraint with a name and the kinds of its arguments.
//
// # Safety
// `name` points to `length` bytes and `params` to `param_count` integers. `run` can be called with `data` while
// a matcher exists that was linked with these natives.
enum drrvm_status drrvm_natives_constraint(uint64_t natives,
                                           const char *name,
                                           size_t length,
                                           const int *params,
                                           size_t param_count,
                                           drrvm_constraint run,
                                           void *data);

// Registers a rewrite with a name and the kinds of its arguments and results.
//
// # Safety
// As for `drrvm_natives_constraint`, and `results` points to `result_count` integers.
enum drrvm_status drrvm_natives_rewrite(uint64_t natives,
                                        const char *name,
                                        size_t length,
                                        const int *params,
                                        size_t param_count,
                                        const int *results,
                                        size_t result_count,
                                        drrvm_rewrite run,
                                        void *data);

// Binds a program to a host. `natives` can be 0. With `allow_missing`, rules that call missing natives are dropped.
//
// # Safety
// `host` points to a table whose functions behave as documented, and `matcher` to a handle.
enum drrvm_status drrvm_link(uint64_t program,
                             const struct drrvm_host *host,
                             uint64_t natives,
                             bool allow_missing,
                             uint64_t *matcher);

// Finds the first rule that matches at an operation; the status is `DRRVM_STATUS_NO_MATCH` if none does.
//
// # Safety
// `host` is the table that the matcher was linked with, or an equivalent table; `op` is one of its operations; `rule`
// points to an integer.
enum drrvm_status drrvm_match(uint64_t matcher,
                              const struct drrvm_host *host,
                              drrvm_id op,
                              uint32_t *rule);

// Applies rules to the operations inside `root` until none matches or a limit is reached. If `max_rewrites` is 0, the
// default limit on rewrites applies.
//
// # Safety
// As for `drrvm_match`; `report` points to a report or is null.
enum drrvm_status drrvm_apply_greedily(uint64_t matcher,
                                       const struct drrvm_host *host,
                                       drrvm_id root,
                                       uint64_t max_rewrites,
                                       struct drrvm_report *report);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRRVM_H */
