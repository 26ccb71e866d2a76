// Measures drrvm on MLIR's operations beside MLIR's own engines, in one process; see bench/run.
//
//   goals WORKLOAD RULES ROUNDS
//
// Prints nanoseconds per operation, the median of the rounds. In each round every engine runs once. All engines must
// find the same number of matches.
#include "drrvm/mlir.h"

#include "bench.h"
#include "timing.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

bool bench::matchOnly = true;
unsigned long bench::matched = 0;

int main(int argc, char **argv) {
  require(argc == 4, "usage: goals WORKLOAD RULES ROUNDS");
  std::string folder = argv[1], rules = argv[2];
  int rounds = std::atoi(argv[3]);
  DialectRegistry registry;
  registry.insert<pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
  bench::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceFile<ModuleOp>(folder + "/ir_100k.mlir", &context);
  require(bool(module), "the workload cannot be read");
  std::vector<Operation *> ops;
  for (Operation &op : *module->getBody())
    ops.push_back(&op);

  auto pdl = [&](char set) {
    auto text = parseSourceFile<ModuleOp>(folder + "/pat_" + set + "_" + rules + ".mlir", &context);
    require(bool(text), "the rules cannot be read");
    RewritePatternSet patterns(&context);
    patterns.add(PDLPatternModule(std::move(text)));
    return FrozenRewritePatternSet(std::move(patterns));
  };
  auto ours = [&](char set) {
    drrvm::Source source;
    source.files = {folder + "/pat_" + set + "_" + rules + ".mlir"};
    auto loaded = drrvm::Rules::load(&context, source);
    require(loaded != nullptr, "drrvm rejects the rules");
    return loaded;
  };
  FrozenRewritePatternSet matchPdl;
  timed("compile PDL", 1, [&] { matchPdl = pdl('m'); });
  std::shared_ptr<const drrvm::Rules> matchOurs;
  timed("compile drrvm", 1, [&] { matchOurs = ours('m'); });
  RewritePatternSet drrSet(&context);
  bool hasDrr = bench::addRules("", drrSet);
  FrozenRewritePatternSet matchDrr(std::move(drrSet));

  size_t expected = 0;
  auto *raw = reinterpret_cast<void *const *>(ops.data());
  for (int round = 0; round < rounds; ++round) {
    timed("walk in C++", ops.size(), [&] {
      uintptr_t sum = 0;
      module->walk<WalkOrder::PreOrder>([&](Operation *op) {
        sum += reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer());
        if (op->getNumOperands() > 0)
          sum += reinterpret_cast<uintptr_t>(op->getOperand(0).getDefiningOp());
      });
      require(sum != 0, "the walk visits nothing");
    });
    timed("walk by drrvm", ops.size(), [&] {
      require(drrvm_rules_walk(matchOurs->get(), module->getOperation()) == ops.size() + 1, "the walks differ");
    });
    PatternRewriter rewriter(&context);
    {
      PatternApplicator applicator(matchPdl);
      applicator.applyDefaultCostModel();
      size_t found = 0;
      timed("first match, PDL", ops.size(), [&] {
        // The byte code finds all matches before it reports the first match. Rejecting each match is the only way to
        // match without rewriting.
        for (Operation *op : ops) {
          bool any = false;
          (void)applicator.matchAndRewrite(op, rewriter, [&](const Pattern &) {
            any = true;
            return false;
          });
          found += any;
        }
      });
      expected = expected ? expected : found;
      require(found == expected, "PDL finds another number of matches");
    }
    if (hasDrr) {
      PatternApplicator applicator(matchDrr);
      applicator.applyDefaultCostModel();
      bench::matched = 0;
      timed("first match, compiled DRR", ops.size(), [&] {
        for (Operation *op : ops)
          (void)applicator.matchAndRewrite(op, rewriter);
      });
      require(bench::matched == expected, "compiled DRR finds another number of matches");
    }
    size_t found = 0;
    timed("first match, drrvm tree", ops.size(),
          [&] { found = drrvm_rules_match(matchOurs->get(), raw, ops.size(), false); });
    require(found == expected, "the tree finds another number of matches");
    timed(round ? "first match, drrvm automaton" : "first match, drrvm automaton from nothing", ops.size(),
          [&] { found = drrvm_rules_match(matchOurs->get(), raw, ops.size(), true); });
    require(found == expected, "the automaton finds another number of matches");
  }

  auto own = ours('r');
  auto frozen = [&](auto populate) {
    RewritePatternSet patterns(&context);
    populate(patterns, own);
    return FrozenRewritePatternSet(std::move(patterns));
  };
  using Set = RewritePatternSet;
  using Loaded = std::shared_ptr<const drrvm::Rules>;
  // The driver without rules gives the time that no engine can save.
  const FrozenRewritePatternSet sets[] = {
      pdl('r'),
      frozen([](Set &set, const Loaded &rules) { drrvm::populateAlone(set, rules); }),
      {},
      {},
      frozen([](Set &set, const Loaded &rules) { drrvm::populate(set, rules); }),
  };
  std::string texts[5];
  for (int round = 0; round < rounds; ++round) {
    for (int engine = 0; engine < 5; ++engine) {
      OwningOpRef<ModuleOp> copy(module->clone());
      static const char *const names[] = {"greedy, PDL", "greedy, drrvm in MLIR's driver", "greedy, drrvm's driver",
                                          "greedy, MLIR's driver without rules",
                                          "greedy, drrvm with a pattern for each benefit"};
      GreedyRewriteConfig config;
      config.enableFolding(false).enableConstantCSE(false).setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled);
      timed(names[engine], ops.size(), [&] {
        if (engine != 2) {
          require(succeeded(applyPatternsGreedily(*copy, sets[engine], config)), "the driver does not converge");
        } else {
          DrrvmDriver driver = {DRRVM_ENGINE_TREE, false, false, false, false, 10, -1};
          auto ignore = [](void *, const DrrvmMessage *) {};
          require(drrvm_rules_drive(own->get(), copy->getOperation(), &driver, ignore, nullptr),
                  "drrvm's driver does not converge");
        }
      });
      if (round == 0) {
        llvm::raw_string_ostream out(texts[engine]);
        copy->print(out, OpPrintingFlags().printGenericOpForm());
      }
    }
  }
  std::printf("%s rules, %zu operations, %zu matches; median of %d rounds\n", rules.c_str(), ops.size(), expected, rounds);
  printTimes();
  std::printf("  greedy text: drrvm in MLIR's driver %s PDL, drrvm's driver %s PDL\n",
              texts[1] == texts[0] ? "equals" : "differs from", texts[2] == texts[0] ? "equals" : "differs from");
  require(texts[4] == texts[1], "drrvm's patterns for roots and for benefits give other results");
  std::printf("  greedy text: the drivers of MLIR and of drrvm %s\n", texts[1] == texts[2] ? "agree" : "differ");
  double match = median("first match, drrvm tree"), automaton = median("first match, drrvm automaton");
  if (automaton > 0)
    match = std::min(match, automaton);
  int count = std::atoi(rules.c_str());
  double pdlMatch = median("first match, PDL"), drrMatch = median("first match, compiled DRR");
  if (count >= 1000)
    verdict("first match, times PDL, goal 8", pdlMatch / match, 8);
  else if (count >= 100)
    verdict("first match, times PDL, goal 3", pdlMatch / match, 3);
  else
    verdict("first match, times the better of PDL and DRR, goal 1",
            (drrMatch > 0 ? std::min(pdlMatch, drrMatch) : pdlMatch) / match, 1);
  verdict("walk, in walks in C++, goal 1.3 at most", median("walk by drrvm") / median("walk in C++"), 1.3, true);
  if (count == 1000)
    verdict("greedy in MLIR's driver, times PDL, goal 3",
            median("greedy, PDL") / median("greedy, drrvm in MLIR's driver"), 3);
  return 0;
}
