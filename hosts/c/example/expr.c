/* An example in C: compiled rules simplify a graph of integer expressions.
 *
 *     drrvm compile rules.mlir -o rules.drrbc
 *     cc expr.c -I ../include -L ../../target/debug -ldrrvm_c -o expr
 *     ./expr rules.drrbc
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drrvm.h"

#define CHECK(call)                                                                        \
  do {                                                                                     \
    if ((call) != DRRVM_STATUS_OK) {                                                       \
      fprintf(stderr, "%s: %s\n", #call, drrvm_last_error());                              \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

/* A node is an operation, and also the result of this operation if it has one. */
struct node {
  uint32_t name;
  uint32_t operand_count;
  struct node *operands[2];
  const int64_t *value;
  struct node *next;
  int erased;
};

/* A use: operand `index` of `user`. Uses are created on demand and live as long as the graph. */
struct use {
  struct node *user;
  uint32_t index;
  struct use *next;
};

struct integer {
  int64_t value;
  struct integer *next;
};

struct graph {
  struct node *first, *last;
  struct use *uses;
  struct integer *integers;
  char *names[16];
  uint32_t name_count;
};

static void *fresh(size_t size) {
  void *memory = calloc(1, size);
  if (!memory) abort();
  return memory;
}

/* Attributes are uniqued: equal integers have the same address. */
static const int64_t *integer(struct graph *graph, int64_t value) {
  for (struct integer *i = graph->integers; i; i = i->next)
    if (i->value == value) return &i->value;
  struct integer *made = fresh(sizeof *made);
  made->value = value;
  made->next = graph->integers;
  graph->integers = made;
  return &made->value;
}

static uint32_t bind_name(void *data, const char *text, size_t length) {
  struct graph *graph = data;
  for (uint32_t i = 0; i < graph->name_count; i++)
    if (strlen(graph->names[i]) == length && !memcmp(graph->names[i], text, length)) return i;
  if (graph->name_count == 16) abort();
  char *copy = fresh(length + 1);
  memcpy(copy, text, length);
  graph->names[graph->name_count] = copy;
  return graph->name_count++;
}

static struct node *add(struct graph *graph, uint32_t name, struct node *a, struct node *b,
                        const int64_t *value) {
  struct node *node = fresh(sizeof *node);
  node->name = name;
  node->operand_count = (a != NULL) + (b != NULL);
  node->operands[0] = a;
  node->operands[1] = b;
  node->value = value;
  if (graph->last) graph->last->next = node; else graph->first = node;
  graph->last = node;
  return node;
}

static struct node *make(struct graph *graph, const char *name, struct node *a, struct node *b,
                         const int64_t *value) {
  return add(graph, bind_name(graph, name, strlen(name)), a, b, value);
}

static uint32_t op_name(void *data, drrvm_id op) { (void)data; return ((struct node *)op)->name; }
static uint32_t operand_count(void *data, drrvm_id op) {
  (void)data;
  return ((struct node *)op)->operand_count;
}
static drrvm_id operand(void *data, drrvm_id op, uint32_t index) {
  (void)data;
  return (drrvm_id)((struct node *)op)->operands[index];
}
static uint32_t result_count(void *data, drrvm_id op) {
  struct graph *graph = data;
  return strcmp(graph->names[((struct node *)op)->name], "expr.out") != 0;
}
static drrvm_id result(void *data, drrvm_id op, uint32_t index) { (void)data; (void)index; return op; }
static drrvm_id attr(void *data, drrvm_id op, uint32_t name) {
  struct graph *graph = data;
  return strcmp(graph->names[name], "value") ? 0 : (drrvm_id)((struct node *)op)->value;
}
static drrvm_id defining_op(void *data, drrvm_id value) { (void)data; return value; }
/* There is one type. Its id can be any number except zero. */
static drrvm_id value_type(void *data, drrvm_id value) { (void)data; (void)value; return 1; }

/* Returns the newest use of a value; if `end` is not null, the newest use that is older than `end`. */
static drrvm_id use_before(struct graph *graph, struct node *value, struct use *end) {
  struct node *user = NULL;
  uint32_t at = 0;
  for (struct node *node = graph->first; node; node = node->next) {
    if (node->erased) continue;
    for (uint32_t i = 0; i < node->operand_count; i++) {
      if (end && node == end->user && i >= end->index) goto done;
      if (node->operands[i] == value) { user = node; at = i; }
    }
  }
done:
  if (!user) return 0;
  struct use *use = fresh(sizeof *use);
  use->user = user;
  use->index = at;
  use->next = graph->uses;
  graph->uses = use;
  return (drrvm_id)use;
}
static drrvm_id first_use(void *data, drrvm_id value) { return use_before(data, (struct node *)value, NULL); }
static drrvm_id next_use(void *data, drrvm_id used) {
  struct use *use = (struct use *)used;
  return use_before(data, use->user->operands[use->index], use);
}
static drrvm_id use_owner(void *data, drrvm_id used) { (void)data; return (drrvm_id)((struct use *)used)->user; }
static uint32_t use_index(void *data, drrvm_id used) { (void)data; return ((struct use *)used)->index; }

static drrvm_id bind_type(void *data, const char *text, size_t length) {
  (void)data;
  return length == 3 && !memcmp(text, "i64", 3);
}
static drrvm_id bind_attr(void *data, const char *text, size_t length) {
  char buffer[64], *end;
  if (length >= sizeof buffer) return 0;
  memcpy(buffer, text, length);
  buffer[length] = 0;
  int64_t value = strtoll(buffer, &end, 10);
  return strcmp(end, " : i64") ? 0 : (drrvm_id)integer(data, value);
}

static drrvm_id create(void *data, drrvm_id before, const drrvm_op_state *state) {
  (void)before;
  if (state->operand_count > 2 || state->attribute_count > 1) return 0;
  const drrvm_id *operands = state->operands;
  return (drrvm_id)add(data, state->name,
                       state->operand_count > 0 ? (struct node *)operands[0] : NULL,
                       state->operand_count > 1 ? (struct node *)operands[1] : NULL,
                       state->attribute_count ? (const int64_t *)state->attributes[0].value : NULL);
}
static void replace_all_uses(void *data, drrvm_id from, drrvm_id to) {
  for (struct node *node = ((struct graph *)data)->first; node; node = node->next)
    for (uint32_t i = 0; i < node->operand_count; i++)
      if (node->operands[i] == (struct node *)from) node->operands[i] = (struct node *)to;
}
static void erase(void *data, drrvm_id op) {
  (void)data;
  ((struct node *)op)->erased = 1;
  ((struct node *)op)->operand_count = 0;
}
/* The first node represents the whole graph. */
static drrvm_id parent_op(void *data, drrvm_id op) {
  drrvm_id whole = (drrvm_id)((struct graph *)data)->first;
  return op == whole ? 0 : whole;
}
static void walk(void *data, drrvm_id root, bool post_order, drrvm_visit visit, void *closure) {
  struct node *whole = ((struct graph *)data)->first;
  (void)post_order;
  if (root != (drrvm_id)whole) {
    visit(closure, root);
    return;
  }
  for (struct node *node = whole; node; node = node->next)
    if (!node->erased) visit(closure, (drrvm_id)node);
}

static bool add_integers(void *data, const drrvm_entity *args, size_t count, drrvm_entity *results,
                         size_t result_count) {
  if (count != 2 || result_count != 1 || !args[0].id || !args[1].id) return false;
  int64_t sum;
  if (__builtin_add_overflow(*(const int64_t *)args[0].id, *(const int64_t *)args[1].id, &sum)) return false;
  results[0].kind = DRRVM_KIND_ATTR;
  results[0].id = (drrvm_id)integer(data, sum);
  return true;
}

static void print(struct graph *graph, struct node *node) {
  if (node->value) {
    printf("%" PRId64, *node->value);
    return;
  }
  printf("%s(", graph->names[node->name] + strlen("expr."));
  for (uint32_t i = 0; i < node->operand_count; i++) {
    if (i) printf(", ");
    print(graph, node->operands[i]);
  }
  printf(")");
}

static uint8_t *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) { perror(path); exit(1); }
  uint8_t *bytes = NULL;
  for (*length = 0;;) {
    bytes = realloc(bytes, *length + 4096);
    if (!bytes) abort();
    size_t read = fread(bytes + *length, 1, 4096, file);
    *length += read;
    if (read < 4096) break;
  }
  fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 2) { fprintf(stderr, "usage: %s rules.drrbc\n", argv[0]); return 2; }
  size_t length;
  uint8_t *bytes = read_file(argv[1], &length);
  uint64_t program, natives, matcher;
  CHECK(drrvm_program_load(bytes, length, &program));
  /* Damaged programs and invalid handles cause errors. */
  bytes[length / 2] ^= 1;
  uint64_t none = 0;
  if (drrvm_program_load(bytes, length, &none) != DRRVM_STATUS_BAD_PROGRAM) return 1;
  if (drrvm_program_load(NULL, 10, &none) != DRRVM_STATUS_BAD_ARGUMENT) return 1;
  if (drrvm_free(12345) != DRRVM_STATUS_BAD_HANDLE) return 1;
  free(bytes);

  struct graph graph = {0};
  struct node *whole = make(&graph, "expr.graph", NULL, NULL, NULL);
  struct node *x = make(&graph, "expr.var", NULL, NULL, NULL);
  struct node *one = make(&graph, "expr.const", NULL, NULL, integer(&graph, 1));
  struct node *minus = make(&graph, "expr.const", NULL, NULL, integer(&graph, -1));
  struct node *zero = make(&graph, "expr.add", one, minus, NULL);
  struct node *sum = make(&graph, "expr.add", x, zero, NULL);
  struct node *out = make(&graph, "expr.out", sum, NULL, NULL);

  drrvm_host host = {
      .data = &graph, .op_name = op_name, .operand_count = operand_count, .operand = operand,
      .result_count = result_count, .result = result, .attr = attr, .defining_op = defining_op,
      .value_type = value_type, .first_use = first_use, .next_use = next_use, .use_owner = use_owner,
      .use_index = use_index, .bind_op_name = bind_name, .bind_attr_name = bind_name,
      .bind_type = bind_type, .bind_attr = bind_attr, .create = create,
      .replace_all_uses = replace_all_uses, .erase = erase, .parent_op = parent_op, .walk = walk,
  };
  /* Linking fails without the native, and the message names it. */
  if (drrvm_link(program, &host, 0, false, &none) != DRRVM_STATUS_MISSING_NATIVES) return 1;
  if (!strstr(drrvm_last_error(), "add_integers")) return 1;

  int params[] = {DRRVM_KIND_ATTR, DRRVM_KIND_ATTR}, results[] = {DRRVM_KIND_ATTR};
  const char *name = "add_integers";
  CHECK(drrvm_natives_new(&natives));
  CHECK(drrvm_natives_rewrite(natives, name, strlen(name), params, 2, results, 1, add_integers, &graph));
  CHECK(drrvm_link(program, &host, natives, false, &matcher));

  uint32_t rule;
  char rule_name[64];
  CHECK(drrvm_match(matcher, &host, (drrvm_id)zero, &rule));
  CHECK(drrvm_rule_name(program, rule, rule_name, sizeof rule_name, NULL));
  printf("%s matches at ", rule_name);
  print(&graph, zero);
  printf("\n");
  if (drrvm_match(matcher, &host, (drrvm_id)x, &rule) != DRRVM_STATUS_NO_MATCH) return 1;

  print(&graph, out);
  drrvm_report report;
  CHECK(drrvm_apply_greedily(matcher, &host, (drrvm_id)whole, 0, &report));
  printf(" becomes ");
  print(&graph, out);
  printf(" in %" PRIu64 " rewrites\n", report.rewrites);

  CHECK(drrvm_free(matcher));
  CHECK(drrvm_free(natives));
  CHECK(drrvm_free(program));
  /* A freed handle is invalid. */
  if (drrvm_match(matcher, &host, (drrvm_id)zero, &rule) != DRRVM_STATUS_BAD_HANDLE) return 1;

  for (struct node *n = graph.first, *next; n; n = next) { next = n->next; free(n); }
  for (struct use *u = graph.uses, *next; u; u = next) { next = u->next; free(u); }
  for (struct integer *i = graph.integers, *next; i; i = next) { next = i->next; free(i); }
  for (uint32_t i = 0; i < graph.name_count; i++) free(graph.names[i]);
  return 0;
}
