// The C interface of drrvm. Made from hosts/c/src by cbindgen: `DRRVM_BLESS=1 cargo test` writes it anew.

#ifndef DRRVM_H
#define DRRVM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// How a function went.
typedef enum drrvm_status {
  // All is well.
  DRRVM_STATUS_OK = 0,
  // No rule matches.
  DRRVM_STATUS_NO_MATCH = 1,
  // A handle that was never given, or was freed, or is of another kind.
  DRRVM_STATUS_BAD_HANDLE = 2,
  // An argument that cannot be: a null pointer, a name that is not UTF-8, an unknown kind.
  DRRVM_STATUS_BAD_ARGUMENT = 3,
  // The bytes are no compiled program, of another version, or damaged.
  DRRVM_STATUS_BAD_PROGRAM = 4,
  // Natives that rules call are missing or are of another signature.
  DRRVM_STATUS_MISSING_NATIVES = 5,
  // Rules went on beyond the bound that was set.
  DRRVM_STATUS_NOT_CONVERGED = 6,
  // A fault of the library; the IR may be half rewritten.
  DRRVM_STATUS_INTERNAL = 7,
  // The host gave an answer that cannot be: a number of a name that no table could hold, a list of uses or a
  // chain of parents that does not end. It is not called any more; the IR may be half rewritten.
  DRRVM_STATUS_BAD_HOST = 8,
} drrvm_status;

// What a native is given and gives back.
typedef enum drrvm_kind {
  // An operation.
  DRRVM_KIND_OP = 0,
  // A value.
  DRRVM_KIND_VALUE = 1,
  // A type.
  DRRVM_KIND_TYPE = 2,
  // An attribute.
  DRRVM_KIND_ATTR = 3,
  // An integer, in `number`.
  DRRVM_KIND_INT = 4,
  // A Boolean, in `number`.
  DRRVM_KIND_BOOL = 5,
} drrvm_kind;

// An operation, value, type, attribute, use or location of the host: a pointer or number of its own,
// not zero. Zero is "none".
typedef size_t drrvm_id;

// One argument or result of a native.
typedef struct drrvm_entity {
  // What it is, one of `drrvm_kind`.
  int kind;
  // An operation, value, type or attribute; none for a null one.
  drrvm_id id;
  // An integer or Boolean.
  int64_t number;
} drrvm_entity;

// A native constraint: whether it holds of its arguments. Pure, and must not change the IR.
typedef bool (*drrvm_constraint)(void *data, const struct drrvm_entity *args, size_t count);

// A native rewrite: writes its results; false undoes the whole rewrite. It may make types and
// attributes, but does not change operations.
typedef bool (*drrvm_rewrite)(void *data,
                              const struct drrvm_entity *args,
                              size_t count,
                              struct drrvm_entity *results,
                              size_t result_count);

// One attribute of an operation to be made.
typedef struct drrvm_named_attr {
  // The host's number of its name.
  uint32_t name;
  // Whether the operation declares it (it is no discardable attribute).
  bool inherent;
  // Its value.
  drrvm_id value;
} drrvm_named_attr;

// What an operation is made from. The arrays live as long as the call.
typedef struct drrvm_op_state {
  // The host's number of its name.
  uint32_t name;
  // Its operands.
  const drrvm_id *operands;
  // How many.
  size_t operand_count;
  // The types of its results.
  const drrvm_id *result_types;
  // How many.
  size_t result_count;
  // Its attributes.
  const struct drrvm_named_attr *attributes;
  // How many.
  size_t attribute_count;
  // Its location.
  drrvm_id location;
} drrvm_op_state;

// What `walk` calls for each operation.
typedef void (*drrvm_visit)(void *closure, drrvm_id op);

// The functions through which an IR is read and changed. Each gets `data` first.
//
// What an IR needs to be matched comes first and must be set; a function to rewrite with may be
// null in a host that only matches; the others have a meaning when they are null.
typedef struct drrvm_host {
  // Handed to each function.
  void *data;
  // The number of an operation's name, as `bind_op_name` gave it. Small numbers make small tables.
  uint32_t (*op_name)(void *data, drrvm_id op);
  // How many operands an operation has.
  uint32_t (*operand_count)(void *data, drrvm_id op);
  // One operand.
  drrvm_id (*operand)(void *data, drrvm_id op, uint32_t index);
  // How many results an operation has.
  uint32_t (*result_count)(void *data, drrvm_id op);
  // One result.
  drrvm_id (*result)(void *data, drrvm_id op, uint32_t index);
  // The attribute of this name, or none.
  drrvm_id (*attr)(void *data, drrvm_id op, uint32_t name);
  // The operation whose result a value is, or none for a block argument.
  drrvm_id (*defining_op)(void *data, drrvm_id value);
  // The type of a value.
  drrvm_id (*value_type)(void *data, drrvm_id value);
  // The newest use of a value, or none.
  drrvm_id (*first_use)(void *data, drrvm_id value);
  // The use made before this one, or none.
  drrvm_id (*next_use)(void *data, drrvm_id used);
  // The operation that uses.
  drrvm_id (*use_owner)(void *data, drrvm_id used);
  // Which of its operands the use is.
  uint32_t (*use_index)(void *data, drrvm_id used);
  // The number of an operation name; a new one for a name not seen before. Not below zero, dense.
  uint32_t (*bind_op_name)(void *data, const char *text, size_t length);
  // The number of an attribute name; a new one for a name not seen before.
  uint32_t (*bind_attr_name)(void *data, const char *text, size_t length);
  // The type that this MLIR text means, or none.
  drrvm_id (*bind_type)(void *data, const char *text, size_t length);
  // The attribute that this MLIR text means, or none.
  drrvm_id (*bind_attr)(void *data, const char *text, size_t length);
  // To rewrite: makes an operation right before `before`; none if it cannot.
  drrvm_id (*create)(void *data, drrvm_id before, const struct drrvm_op_state *state);
  // To rewrite: makes every use of `from` a use of `to`.
  void (*replace_all_uses)(void *data, drrvm_id from, drrvm_id to);
  // To rewrite: removes an operation whose results have no uses.
  void (*erase)(void *data, drrvm_id op);
  // To rewrite: the operation whose region holds this one, or none for the outermost.
  drrvm_id (*parent_op)(void *data, drrvm_id op);
  // To rewrite: calls `visit` for `root` and all operations inside it, an operation after what its
  // regions hold if `post_order`.
  void (*walk)(void *data, drrvm_id root, bool post_order, drrvm_visit visit, void *closure);
  // Optional: the type that an attribute states, or none.
  drrvm_id (*attr_type)(void *data, drrvm_id attr);
  // Optional: where an operation comes from; none: nowhere.
  drrvm_id (*location)(void *data, drrvm_id op);
  // Optional: the location that stands for several; null: the first.
  drrvm_id (*fuse_locations)(void *data, const drrvm_id *locations, size_t count);
  // Optional: whether an operation ends its block; null: none does.
  bool (*is_terminator)(void *data, drrvm_id op);
  // Optional: the width of an integer type; 0 for any other type.
  uint32_t (*integer_width)(void *data, drrvm_id ty);
  // Optional: the value of an integer attribute through `value`, and its width; 0 for any other.
  uint32_t (*attr_int)(void *data, drrvm_id attr, int64_t *value);
  // Optional: the integer attribute of this value and type, or none.
  drrvm_id (*make_int)(void *data, int64_t value, drrvm_id ty);
  // Optional: the integer type of this width, or none.
  drrvm_id (*make_integer_type)(void *data, uint32_t width);
} drrvm_host;

// What a rewriting did.
typedef struct drrvm_report {
  // How many times rules were tried on an operation.
  uint64_t visited;
  // How many rewrites there were.
  uint64_t rewrites;
  // How many times a rule matched, failed while rewriting and was undone.
  uint64_t refused;
  // How many dead operations were removed.
  uint64_t removed;
} drrvm_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What went wrong in the last call of this thread that did not give `DRRVM_STATUS_OK`. The text stays
// until the next such call.
const char *drrvm_last_error(void);

// Gives a handle back, of whatever kind.
enum drrvm_status drrvm_free(uint64_t handle);

// Loads a compiled rule set, as `drrvm compile` writes it. The bytes are not needed afterwards.
//
// # Safety
// `bytes` points to `length` bytes, `program` to a handle.
enum drrvm_status drrvm_program_load(const uint8_t *bytes, size_t length, uint64_t *program);

// How many rules a program has. Rules are numbered from zero.
//
// # Safety
// `count` points to a number.
enum drrvm_status drrvm_program_rule_count(uint64_t program, uint32_t *count);

// Copies the name of a rule, cut to `capacity` bytes and ended by a zero; `length` is that of the whole.
//
// # Safety
// `buffer` points to `capacity` bytes, `length` to a number or is null.
enum drrvm_status drrvm_rule_name(uint64_t program,
                                  uint32_t rule,
                                  char *buffer,
                                  size_t capacity,
                                  size_t *length);

// A new empty set of natives.
//
// # Safety
// `natives` points to a handle.
enum drrvm_status drrvm_natives_new(uint64_t *natives);

// Registers a constraint under a name, with the kinds of its arguments.
//
// # Safety
// `name` points to `length` bytes and `params` to `param_count` numbers; `run` may be called with
// `data` as long as a matcher that was linked with these natives is there.
enum drrvm_status drrvm_natives_constraint(uint64_t natives,
                                           const char *name,
                                           size_t length,
                                           const int *params,
                                           size_t param_count,
                                           drrvm_constraint run,
                                           void *data);

// Registers a rewrite under a name, with the kinds of its arguments and results.
//
// # Safety
// As `drrvm_natives_constraint`, `results` included.
enum drrvm_status drrvm_natives_rewrite(uint64_t natives,
                                        const char *name,
                                        size_t length,
                                        const int *params,
                                        size_t param_count,
                                        const int *results,
                                        size_t result_count,
                                        drrvm_rewrite run,
                                        void *data);

// Binds a program to a host. `natives` may be 0. With `allow_missing` rules whose natives are
// missing are left out.
//
// # Safety
// `host` points to a table whose functions answer as documented; `matcher` to a handle.
enum drrvm_status drrvm_link(uint64_t program,
                             const struct drrvm_host *host,
                             uint64_t natives,
                             bool allow_missing,
                             uint64_t *matcher);

// The first rule that matches at an operation; `DRRVM_STATUS_NO_MATCH` if none does.
//
// # Safety
// `host` is the table the matcher was linked with, or one that answers in the same way; `op` is an
// operation of it; `rule` points to a number.
enum drrvm_status drrvm_match(uint64_t matcher,
                              const struct drrvm_host *host,
                              drrvm_id op,
                              uint32_t *rule);

// Applies rules to what is inside `root` until none matches. `max_rewrites` of 0 sets the usual bound.
//
// # Safety
// As `drrvm_match`; `report` points to a report or is null.
enum drrvm_status drrvm_apply_greedily(uint64_t matcher,
                                       const struct drrvm_host *host,
                                       drrvm_id root,
                                       uint64_t max_rewrites,
                                       struct drrvm_report *report);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRRVM_H */
