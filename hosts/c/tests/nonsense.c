/* Invalid calls, and a host with invalid answers: the interface returns a status and does not crash. Most functions of
 * the host that read an id end the program with an error if they receive "none". Runs under AddressSanitizer and
 * UndefinedBehaviorSanitizer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drrvm.h"

static int failures;

#define EXPECT(call, status)                                                                       \
  do {                                                                                             \
    drrvm_status got = (call);                                                                     \
    if (got != (status)) {                                                                         \
      fprintf(stderr, "line %d: %s: %d, expected %d: %s\n", __LINE__, #call, got, (status),       \
              drrvm_last_error());                                                                 \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

#define SAYS(text)                                                                                 \
  do {                                                                                             \
    if (!strstr(drrvm_last_error(), text)) {                                                       \
      fprintf(stderr, "line %d: no '%s' in: %s\n", __LINE__, text, drrvm_last_error());            \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

/* Three operations inside operation 100: two constants and their sum. Ids 1 to 3 stand for the operations and their
 * results. */
enum lie {
  NONE, HUGE_NAMES, HUGE_BOUND_NAMES, NO_OPERANDS, NO_RESULTS, NO_OWNERS, NO_TYPES, NO_ATTRS, MANY_OPERANDS,
  NOT_MADE, WALKS_NOTHING, MATCHES_INSIDE, USES_IN_A_RING, NEW_USES, PARENTS_IN_A_RING, NEW_PARENTS
};
static enum lie lie;
static uint64_t matcher;
static drrvm_host host;
static int edits, depth;

static drrvm_id some(drrvm_id id) {
  if (id == 0) {
    fprintf(stderr, "a function of the host received none (lie %d)\n", lie);
    exit(1);
  }
  return id;
}

static uint32_t bind_name(void *data, const char *text, size_t length) {
  (void)data;
  if (lie == HUGE_BOUND_NAMES) return UINT32_MAX;
  if (length == 10 && !memcmp(text, "expr.const", 10)) return 0;
  if (length == 8 && !memcmp(text, "expr.add", 8)) return 1;
  return 2;
}
static uint32_t op_name(void *data, drrvm_id op) {
  (void)data;
  if (lie == HUGE_NAMES) return UINT32_MAX - (uint32_t)op;
  if (lie == MATCHES_INSIDE && depth++ == 0) {
    uint32_t rule;
    EXPECT(drrvm_match(matcher, &host, 3, &rule), DRRVM_STATUS_OK);
  }
  return some(op) == 3;
}
static uint32_t operand_count(void *data, drrvm_id op) {
  (void)data;
  return lie == MANY_OPERANDS ? 1000000 : some(op) == 3 ? 2 : 0;
}
static drrvm_id operand(void *data, drrvm_id op, uint32_t index) {
  (void)data;
  some(op);
  return lie == NO_OPERANDS ? 0 : index % 2 + 1;
}
static uint32_t result_count(void *data, drrvm_id op) { (void)data; some(op); return 1; }
static drrvm_id result(void *data, drrvm_id op, uint32_t index) {
  (void)data; (void)index;
  return lie == NO_RESULTS ? 0 : some(op);
}
static drrvm_id attr(void *data, drrvm_id op, uint32_t name) {
  (void)data; (void)name;
  return lie == NO_ATTRS || some(op) == 3 ? 0 : op + 10;
}
static drrvm_id defining_op(void *data, drrvm_id value) { (void)data; return some(value); }
static drrvm_id value_type(void *data, drrvm_id value) { (void)data; some(value); return lie == NO_TYPES ? 0 : 1; }
static drrvm_id first_use(void *data, drrvm_id value) {
  (void)data;
  bool endless = lie == USES_IN_A_RING || lie == NEW_USES;
  return some(value) == 3 && !endless ? 0 : value + 20;
}
static drrvm_id next_use(void *data, drrvm_id used) {
  (void)data;
  return lie == USES_IN_A_RING ? some(used) % 2 + 21 : lie == NEW_USES ? some(used) + 1 : some(used) * 0;
}
static drrvm_id use_owner(void *data, drrvm_id used) { (void)data; some(used); return lie == NO_OWNERS ? 0 : 3; }
static uint32_t use_index(void *data, drrvm_id used) { (void)data; return (uint32_t)some(used) - 21; }
static drrvm_id bind_type(void *data, const char *text, size_t length) { (void)data; (void)text; (void)length; return 1; }
static drrvm_id bind_attr(void *data, const char *text, size_t length) { (void)data; (void)text; (void)length; return 9; }
static drrvm_id create(void *data, drrvm_id before, const drrvm_op_state *state) {
  (void)data; (void)before; (void)state;
  return lie == NOT_MADE ? 0 : 4;
}
static void replace_all_uses(void *data, drrvm_id from, drrvm_id to) { (void)data; (void)from; (void)to; edits++; }
static void erase(void *data, drrvm_id op) { (void)data; some(op); edits++; }
static drrvm_id parent_op(void *data, drrvm_id op) {
  (void)data;
  if (lie == PARENTS_IN_A_RING) return some(op) % 2 + 200;
  if (lie == NEW_PARENTS) return some(op) + 200;
  return some(op) == 100 ? 0 : 100;
}
static void walk(void *data, drrvm_id root, bool post_order, drrvm_visit visit, void *closure) {
  (void)data; (void)post_order;
  if (lie == WALKS_NOTHING) {
    visit(closure, 0);
    return;
  }
  if (root == 100)
    for (drrvm_id op = 1; op <= 3; op++) visit(closure, op);
  visit(closure, root);
}

enum answer { REFUSES, NOTHING, WRONG_KIND, NULL_ATTR, GARBAGE_KIND, FINE };
static enum answer answer;
static bool add_integers(void *data, const drrvm_entity *args, size_t count, drrvm_entity *results,
                         size_t result_count) {
  (void)data; (void)args;
  if (count != 2 || result_count != 1) exit(1);
  switch (answer) {
  case REFUSES: return false;
  case NOTHING: return true;
  case WRONG_KIND: results[0].kind = DRRVM_KIND_OP; results[0].id = 1; return true;
  case NULL_ATTR: results[0].kind = DRRVM_KIND_ATTR; results[0].id = 0; return true;
  case GARBAGE_KIND: results[0].kind = 77; results[0].id = 1; return true;
  case FINE: results[0].kind = DRRVM_KIND_ATTR; results[0].id = 9; return true;
  }
  return true;
}

static void programs(const uint8_t *bytes, size_t length, uint64_t program) {
  uint64_t none;
  uint32_t count;
  /* Truncated programs are rejected. Programs with a changed byte are rejected or load. */
  for (size_t cut = 0; cut < length; cut++) {
    uint8_t *copy = malloc(cut + 1);
    memcpy(copy, bytes, cut);
    EXPECT(drrvm_program_load(copy, cut, &none), DRRVM_STATUS_BAD_PROGRAM);
    free(copy);
  }
  for (size_t at = 0; at < length; at++) {
    uint8_t *copy = malloc(length);
    memcpy(copy, bytes, length);
    copy[at] ^= 0x41;
    if (drrvm_program_load(copy, length, &none) == DRRVM_STATUS_OK) EXPECT(drrvm_free(none), DRRVM_STATUS_OK);
    free(copy);
  }
  EXPECT(drrvm_program_load(NULL, length, &none), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_program_load(NULL, 0, &none), DRRVM_STATUS_BAD_PROGRAM);
  EXPECT(drrvm_program_load(bytes, length, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_program_rule_count(program, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_program_rule_count(0, &count), DRRVM_STATUS_BAD_HANDLE);
  char name[4];
  size_t whole = 0;
  EXPECT(drrvm_rule_name(program, 0, name, sizeof name, &whole), DRRVM_STATUS_OK);
  if (strcmp(name, "add") || whole != strlen("add_zero")) failures++;
  EXPECT(drrvm_rule_name(program, 0, NULL, 0, NULL), DRRVM_STATUS_OK);
  EXPECT(drrvm_rule_name(program, 0, NULL, 10, &whole), DRRVM_STATUS_OK);
  EXPECT(drrvm_rule_name(program, UINT32_MAX, name, sizeof name, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_rule_name(UINT64_MAX, 0, name, sizeof name, NULL), DRRVM_STATUS_BAD_HANDLE);
}

static void natives_and_handles(uint64_t program, uint64_t natives) {
  int params[] = {DRRVM_KIND_ATTR, DRRVM_KIND_ATTR}, unknown[] = {99, -1};
  uint64_t none;
  uint32_t rule;
  EXPECT(drrvm_natives_new(NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_rewrite(natives, NULL, 3, params, 2, params, 1, add_integers, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_rewrite(natives, "\xff\xfe", 2, params, 2, params, 1, add_integers, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_rewrite(natives, "x", 1, unknown, 2, params, 1, add_integers, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_rewrite(natives, "x", 1, NULL, 2, params, 1, add_integers, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_rewrite(natives, "x", 1, params, 2, params, 1, NULL, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_constraint(natives, "x", 1, params, 2, NULL, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_natives_constraint(program, "x", 1, params, 2, NULL, NULL), DRRVM_STATUS_BAD_HANDLE);
  /* Handles of another kind, null pointers, freed handles, and zero. */
  EXPECT(drrvm_link(natives, &host, 0, true, &none), DRRVM_STATUS_BAD_HANDLE);
  EXPECT(drrvm_link(program, &host, program, true, &none), DRRVM_STATUS_BAD_HANDLE);
  EXPECT(drrvm_link(program, NULL, 0, true, &none), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_link(program, &host, 0, true, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_match(program, &host, 3, &rule), DRRVM_STATUS_BAD_HANDLE);
  uint64_t freed;
  EXPECT(drrvm_natives_new(&freed), DRRVM_STATUS_OK);
  EXPECT(drrvm_free(freed), DRRVM_STATUS_OK);
  EXPECT(drrvm_free(freed), DRRVM_STATUS_BAD_HANDLE);
  EXPECT(drrvm_link(program, &host, freed, true, &none), DRRVM_STATUS_BAD_HANDLE);
  EXPECT(drrvm_free(0), DRRVM_STATUS_BAD_HANDLE);
  drrvm_host partial = host;
  partial.attr = NULL;
  EXPECT(drrvm_link(program, &partial, natives, false, &none), DRRVM_STATUS_BAD_ARGUMENT);
  SAYS("attr");
  /* Numbers of names beyond the limit. */
  lie = HUGE_BOUND_NAMES;
  EXPECT(drrvm_link(program, &host, natives, false, &none), DRRVM_STATUS_BAD_HOST);
  SAYS("must be dense, from zero");
  lie = NONE;
}

static void lies(uint64_t program) {
  uint32_t rule;
  drrvm_report report;
  EXPECT(drrvm_match(matcher, &host, 3, &rule), DRRVM_STATUS_OK);
  EXPECT(drrvm_match(matcher, &host, 3, NULL), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_match(matcher, &host, 0, &rule), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_match(matcher, NULL, 3, &rule), DRRVM_STATUS_BAD_ARGUMENT);
  EXPECT(drrvm_apply_greedily(matcher, &host, 0, 0, &report), DRRVM_STATUS_BAD_ARGUMENT);
  drrvm_host reader = host;
  reader.erase = NULL;
  EXPECT(drrvm_apply_greedily(matcher, &reader, 100, 0, &report), DRRVM_STATUS_BAD_ARGUMENT);
  SAYS("erase");

  const enum lie no_match[] = {HUGE_NAMES, NO_OPERANDS, MANY_OPERANDS};
  for (size_t i = 0; i < sizeof no_match / sizeof *no_match; i++) {
    lie = no_match[i];
    EXPECT(drrvm_match(matcher, &host, 3, &rule), DRRVM_STATUS_NO_MATCH);
  }
  /* A function of the host may call the library. */
  lie = MATCHES_INSIDE;
  depth = 0;
  EXPECT(drrvm_match(matcher, &host, 3, &rule), DRRVM_STATUS_OK);
  /* With these answers, the calls must end with a status. The test does not check if a rule matches. */
  for (lie = NO_RESULTS; lie <= WALKS_NOTHING; lie++)
    for (answer = REFUSES; answer <= FINE; answer++) {
      drrvm_status status = drrvm_match(matcher, &host, 3, &rule);
      if (status != DRRVM_STATUS_OK && status != DRRVM_STATUS_NO_MATCH) failures++;
      status = drrvm_apply_greedily(matcher, &host, 100, 20, &report);
      if (status != DRRVM_STATUS_OK && status != DRRVM_STATUS_NOT_CONVERGED) {
        fprintf(stderr, "lie %d, answer %d: status %d: %s\n", lie, answer, status, drrvm_last_error());
        failures++;
      }
    }
  /* If the native refuses or violates its signature, the rewrite fails before it changes operations. A null
   * attribute is valid, because it stands for an absent attribute. */
  lie = NONE;
  for (answer = REFUSES; answer < FINE; answer++) {
    if (answer == NULL_ATTR) continue;
    edits = 0;
    EXPECT(drrvm_apply_greedily(matcher, &host, 100, 20, &report), DRRVM_STATUS_OK);
    if (report.rewrites || edits || !report.refused) {
      fprintf(stderr, "answer %d: %" PRIu64 " rewrites, %d edits\n", answer, report.rewrites, edits);
      failures++;
    }
  }
  /* The graph never changes, so the rule fires until the limit. */
  EXPECT(drrvm_apply_greedily(matcher, &host, 100, 20, NULL), DRRVM_STATUS_NOT_CONVERGED);
  /* Endless lists of uses and endless chains of parents, cyclic or with new elements: the call ends with a status. */
  answer = FINE;
  for (lie = USES_IN_A_RING; lie <= NEW_PARENTS; lie++) {
    EXPECT(drrvm_apply_greedily(matcher, &host, 100, 20, &report), DRRVM_STATUS_BAD_HOST);
    SAYS(lie <= NEW_USES ? "more than 16777216 uses" : "more than 1048576 ancestors");
  }
  /* A fault does not outlast the call. */
  lie = NONE;
  EXPECT(drrvm_apply_greedily(matcher, &host, 100, 20, NULL), DRRVM_STATUS_NOT_CONVERGED);
  /* A matcher outlives the handle of its program. */
  EXPECT(drrvm_free(program), DRRVM_STATUS_OK);
  EXPECT(drrvm_match(matcher, &host, 3, &rule), DRRVM_STATUS_OK);
}

/* Matches a rule that visits the users of a value whose list of uses is endless. */
static void endless_users(uint64_t program) {
  uint32_t rule;
  uint64_t users;
  EXPECT(drrvm_link(program, &host, 0, false, &users), DRRVM_STATUS_OK);
  lie = NONE;
  EXPECT(drrvm_match(users, &host, 3, &rule), DRRVM_STATUS_NO_MATCH);
  for (lie = USES_IN_A_RING; lie <= NEW_USES; lie++) {
    EXPECT(drrvm_match(users, &host, 3, &rule), DRRVM_STATUS_BAD_HOST);
    SAYS("more than 16777216 uses");
  }
  lie = NONE;
  EXPECT(drrvm_match(users, &host, 3, &rule), DRRVM_STATUS_NO_MATCH);
  EXPECT(drrvm_free(users), DRRVM_STATUS_OK);
}

static uint8_t bytes[1 << 16];

static size_t read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return length;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t length = read_file(argv[1]);
  host = (drrvm_host){
      .op_name = op_name, .operand_count = operand_count, .operand = operand, .result_count = result_count,
      .result = result, .attr = attr, .defining_op = defining_op, .value_type = value_type,
      .first_use = first_use, .next_use = next_use, .use_owner = use_owner, .use_index = use_index,
      .bind_op_name = bind_name, .bind_attr_name = bind_name, .bind_type = bind_type, .bind_attr = bind_attr,
      .create = create, .replace_all_uses = replace_all_uses, .erase = erase, .parent_op = parent_op, .walk = walk,
  };
  uint64_t program, natives;
  int params[] = {DRRVM_KIND_ATTR, DRRVM_KIND_ATTR}, results[] = {DRRVM_KIND_ATTR};
  EXPECT(drrvm_program_load(bytes, length, &program), DRRVM_STATUS_OK);
  EXPECT(drrvm_natives_new(&natives), DRRVM_STATUS_OK);
  programs(bytes, length, program);
  natives_and_handles(program, natives);
  EXPECT(drrvm_natives_rewrite(natives, "add_integers", 12, params, 2, results, 1, add_integers, NULL), DRRVM_STATUS_OK);
  EXPECT(drrvm_link(program, &host, natives, false, &matcher), DRRVM_STATUS_OK);
  EXPECT(drrvm_free(natives), DRRVM_STATUS_OK);
  lies(program);
  EXPECT(drrvm_free(matcher), DRRVM_STATUS_OK);
  length = read_file(argv[2]);
  EXPECT(drrvm_program_load(bytes, length, &program), DRRVM_STATUS_OK);
  endless_users(program);
  uint32_t rule;
  EXPECT(drrvm_match(matcher, &host, 3, &rule), DRRVM_STATUS_BAD_HANDLE);
  return failures != 0;
}
