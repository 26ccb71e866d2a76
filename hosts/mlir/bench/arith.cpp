// Measures drrvm on MLIR's operations beside compiled DRR, with MLIR's rules for `arith`; see bench/run.
//
//   arith SOURCES ROUNDS
//
// SOURCES is a checkout of LLVM 22.1. The IR is the test of these rules, repeated until it has at least 100,000
// operations. Prints nanoseconds per operation, the median of the rounds. In each round every engine runs once. All
// engines must find the same number of matches, and rewrite to the same text.
#include "drrvm/mlir.h"

#include "bench.h"
#include "timing.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

bool bench::matchOnly = true;
unsigned long bench::matched = 0;

void populateRulesArith(RewritePatternSet &patterns);

constexpr size_t OPERATIONS = 100000;

// Reads the parts of a test that MLIR accepts, and repeats them in one module.
static OwningOpRef<ModuleOp> readTest(MLIRContext &context, const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  require(bool(file), "the test cannot be read");
  SmallVector<StringRef> parts;
  (*file)->getBuffer().split(parts, "// -----");
  SmallVector<OwningOpRef<ModuleOp>> modules;
  size_t once = 0;
  // Some parts of the test contain errors on purpose.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  for (StringRef part : parts) {
    auto module = parseSourceString<ModuleOp>(part, &context);
    if (!module)
      continue;
    module->walk([&](Operation *) { ++once; });
    modules.push_back(std::move(module));
  }
  require(once > 0, "the test has no operations");
  OwningOpRef<ModuleOp> all(ModuleOp::create(UnknownLoc::get(&context)));
  for (size_t count = 0; count < OPERATIONS; count += once)
    for (auto &module : modules)
      all->getBody()->push_back(module->clone());
  return all;
}

int main(int argc, char **argv) {
  require(argc == 3, "usage: arith SOURCES ROUNDS");
  std::string sources = argv[1];
  int rounds = std::atoi(argv[2]);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.allowUnregisteredDialects();
  auto module = readTest(context, sources + "/mlir/test/Dialect/Arith/canonicalize.mlir");
  std::vector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });

  drrvm::Source source;
  source.files = {sources + "/mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td"};
  auto rules = drrvm::Rules::load(&context, source);
  require(rules != nullptr, "drrvm rejects the rules");
  auto frozen = [&](auto populate) {
    RewritePatternSet patterns(&context);
    populate(patterns);
    return FrozenRewritePatternSet(std::move(patterns));
  };
  const FrozenRewritePatternSet compiled = frozen(populateRulesArith);
  const FrozenRewritePatternSet own = frozen([&](RewritePatternSet &set) { drrvm::populateAlone(set, rules); });

  auto *raw = reinterpret_cast<void *const *>(ops.data());
  for (int round = 0; round < rounds; ++round) {
    PatternRewriter rewriter(&context);
    PatternApplicator applicator(compiled);
    applicator.applyDefaultCostModel();
    bench::matched = 0;
    timed("first match, compiled DRR", ops.size(), [&] {
      for (Operation *op : ops)
        (void)applicator.matchAndRewrite(op, rewriter);
    });
    require(bench::matched > 0, "no rule matches");
    for (bool automaton : {false, true}) {
      size_t found = 0;
      timed(automaton ? "first match, drrvm automaton" : "first match, drrvm tree", ops.size(),
            [&] { found = drrvm_rules_match(rules->get(), raw, ops.size(), automaton); });
      require(found == bench::matched, "drrvm finds another number of matches than compiled DRR");
    }
  }

  bench::matchOnly = false;
  const std::pair<const char *, FrozenRewritePatternSet> engines[] = {
      {"greedy, compiled DRR", compiled},
      {"greedy, drrvm in MLIR's driver", own},
      {"greedy, MLIR's driver without rules", {}},
  };
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  std::string texts[3];
  for (int round = 0; round < rounds; ++round) {
    for (int engine = 0; engine < 3; ++engine) {
      OwningOpRef<ModuleOp> copy(module->clone());
      timed(engines[engine].first, ops.size(), [&] {
        require(succeeded(applyPatternsGreedily(*copy, engines[engine].second, config)),
                "the driver does not converge");
      });
      if (round == 0) {
        llvm::raw_string_ostream out(texts[engine]);
        copy->print(out, OpPrintingFlags().printGenericOpForm());
      }
    }
  }
  require(texts[0] != texts[2], "no rule rewrites");
  require(texts[0] == texts[1], "drrvm and compiled DRR give other results");
  std::printf("MLIR's rules for arith, %zu operations, %lu matches; median of %d rounds\n", ops.size(), bench::matched,
              rounds);
  printTimes();
  double match = std::min(median("first match, drrvm tree"), median("first match, drrvm automaton"));
  std::printf("%-62s %6.2f\n", "first match, arith rules, times compiled DRR",
              median("first match, compiled DRR") / match);
  verdict("greedy in MLIR's driver, arith rules, times compiled DRR, goal 2",
          median("greedy, compiled DRR") / median("greedy, drrvm in MLIR's driver"), 2);
  return 0;
}
