// Times MLIR's engines: its PDL byte code, and the C++ that mlir-tblgen generates from DRR rules.
//
//   mlir-bench walk|pdl|drr|greedy IR.mlir [RULES] [--rounds N]
//
// RULES is a file of rules or, for `drr`, the name of a compiled set of rules.
//
// Prints one line of JSON. It contains the nanoseconds per operation (median, minimum and maximum of the rounds), the
// milliseconds of preparing the rules, the number of matched operations, and the number of all matches (`pdl`) or the
// number of first matches of each rule (`drr`). `greedy` applies the rules with MLIR's greedy driver, on a fresh copy
// in each round, and counts the operations `t.fused…` in the result instead of matches.
#include "bench.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

bool bench::matchOnly = false;
unsigned long bench::matched = 0;

using Clock = std::chrono::steady_clock;

static double since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

struct Options {
  std::string mode, ir, rules;
  int rounds = 5;
};

static bool parseOptions(int argc, char **argv, Options &options) {
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--rounds" && i + 1 < argc)
      options.rounds = std::max(1, std::atoi(argv[++i]));
    else
      plain.push_back(arg);
  }
  if (plain.size() < 2)
    return false;
  options.mode = plain[0];
  options.ir = plain[1];
  if (plain.size() > 2)
    options.rules = plain[2];
  return options.mode == "walk" || options.mode == "drr" || !options.rules.empty();
}

// The number of matched operations, the number of matches of all rules, and for each rule the number of operations
// whose first match is a match of this rule.
struct Matches {
  unsigned long first = 0, all = 0;
  std::map<std::string, unsigned long> byRule;
};

static void report(const Options &options, std::vector<double> times, size_t ops, const Matches &matches,
                   double freeze) {
  std::sort(times.begin(), times.end());
  auto perOp = [&](double t) { return t / double(ops); };
  std::printf("{\"engine\": \"mlir-%s\", \"ops\": %zu, \"ns_per_op\": {\"median\": %.3f, \"min\": %.3f, "
              "\"max\": %.3f}, \"matches\": %lu, \"all_matches\": %lu, \"compile_ms\": %.3f, \"by_rule\": {",
              options.mode.c_str(), ops, perOp(times[times.size() / 2]), perOp(times.front()),
              perOp(times.back()), matches.first, matches.all, freeze / 1e6);
  const char *separator = "";
  for (auto &[rule, count] : matches.byRule) {
    std::printf("%s\"%s\": %lu", separator, rule.c_str(), count);
    separator = ", ";
  }
  std::printf("}}\n");
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(argc, argv, options)) {
    std::fprintf(stderr, "usage: mlir-bench walk|pdl|drr|greedy IR.mlir [RULES] [--rounds N]\n");
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<mlir::pdl::PDLDialect, mlir::pdl_interp::PDLInterpDialect>();
  bench::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  // Some of MLIR's tests use operations without a definition.
  context.allowUnregisteredDialects();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(options.ir, &context);
  if (!module)
    return 1;

  std::vector<mlir::Operation *> ops;
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (op != module->getOperation())
      ops.push_back(op);
  });

  mlir::RewritePatternSet patterns(&context);
  if (options.mode == "pdl" || options.mode == "greedy") {
    auto rules = mlir::parseSourceFile<mlir::ModuleOp>(options.rules, &context);
    if (!rules)
      return 1;
    patterns.add(mlir::PDLPatternModule(std::move(rules)));
  } else if (options.mode == "drr") {
    if (!bench::addRules(options.rules, patterns)) {
      std::fprintf(stderr, "no rules '%s' are compiled in\n", options.rules.c_str());
      return 2;
    }
    bench::matchOnly = true;
  }
  auto start = Clock::now();
  mlir::FrozenRewritePatternSet frozen(std::move(patterns));
  double freeze = since(start);

  std::vector<double> times;
  Matches matches;
  if (options.mode == "walk") {
    // The minimal work of any engine: read the name of each operation, and the definition of its first operand.
    for (int round = 0; round < options.rounds; ++round) {
      uintptr_t sum = 0;
      start = Clock::now();
      module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
        sum += reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer());
        if (op->getNumOperands() > 0)
          sum += reinterpret_cast<uintptr_t>(op->getOperand(0).getDefiningOp());
      });
      times.push_back(since(start));
      matches.first += sum == 0;
    }
    report(options, times, ops.size(), matches, freeze);
    return 0;
  }
  if (options.mode == "greedy") {
    for (int round = 0; round < options.rounds; ++round) {
      mlir::OwningOpRef<mlir::ModuleOp> copy(module->clone());
      start = Clock::now();
      if (failed(mlir::applyPatternsGreedily(*copy, frozen)))
        return 1;
      times.push_back(since(start));
      matches.first = 0;
      copy->walk([&](mlir::Operation *op) { matches.first += op->getName().getStringRef().starts_with("t.fused"); });
    }
    report(options, times, ops.size(), matches, freeze);
    return 0;
  }

  mlir::PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  mlir::PatternRewriter rewriter(&context);
  if (options.mode == "pdl")
    for (mlir::Operation *op : ops)
      (void)applicator.matchAndRewrite(op, rewriter, [&](const mlir::Pattern &) {
        ++matches.all;
        return false;
      });
  if (options.mode == "drr")
    for (mlir::Operation *op : ops)
      (void)applicator.matchAndRewrite(op, rewriter, nullptr, nullptr, [&](const mlir::Pattern &rule) {
        ++matches.byRule[rule.getDebugName().rsplit("::").second.str()];
        return mlir::success();
      });
  for (int round = 0; round < options.rounds; ++round) {
    matches.first = bench::matched = 0;
    start = Clock::now();
    for (mlir::Operation *op : ops) {
      if (options.mode == "drr") {
        (void)applicator.matchAndRewrite(op, rewriter);
      } else {
        // The byte code finds all matches before it reports the first. Rejecting each match is the only way to match
        // without rewriting.
        bool any = false;
        (void)applicator.matchAndRewrite(op, rewriter, [&](const mlir::Pattern &) {
          any = true;
          return false;
        });
        matches.first += any;
      }
    }
    times.push_back(since(start));
    matches.first += bench::matched;
  }
  report(options, times, ops.size(), matches, freeze);
  return 0;
}
