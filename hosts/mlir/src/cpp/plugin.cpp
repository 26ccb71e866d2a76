// The passes of the plugin: `drrvm-rewrite` and `drrvm-explain`.
//
// Invariant: the clones of a pass, which run in several threads, share one set of rules.
#include "drrvm/mlir.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;


namespace {

/// Rules that all clones of a pass share.
struct Loaded {
  std::shared_ptr<const drrvm::Rules> rules;
  FrozenRewritePatternSet patterns;
  std::mutex mutex;
  /// The counts that the statistics of the clones already contain.
  DrrvmCounts counted = {0, 0, 0};
  /// The number of operations before rewriting.
  uint64_t operations = 0;
};

/// A pass with rules.
template <typename Self> struct RulesPass : PassWrapper<Self, OperationPass<>> {
  using Base = RulesPass<Self>;
  template <typename T> using Option = Pass::Option<T>;
  template <typename T> using ListOption = Pass::ListOption<T>;

  RulesPass() = default;
  RulesPass(const RulesPass &other) : PassWrapper<Self, OperationPass<>>(other), loaded(other.loaded) {}

  LogicalResult initialize(MLIRContext *context) override {
    if (rules.empty())
      return emitError(UnknownLoc::get(context)) << "'" << this->getArgument() << "' needs rules; for example: "
                                                 << this->getArgument() << "{rules=my.td include=DIR}";
    drrvm::Source source;
    source.files.assign(rules.begin(), rules.end());
    source.includes.assign(includes.begin(), includes.end());
    source.defines.assign(defines.begin(), defines.end());
    source.scripts.assign(natives.begin(), natives.end());
    source.enable.assign(enable.begin(), enable.end());
    source.disable.assign(disable.begin(), disable.end());
    source.allowMissingNatives = allowMissing;
    source.profile = profiles();
    loaded = std::make_shared<Loaded>();
    loaded->rules = drrvm::Rules::load(context, source);
    return success(loaded->rules != nullptr);
  }

  /// True if matching collects counts for a profile.
  virtual bool profiles() const { return false; }

  ListOption<std::string> rules{*this, "rules",
                                llvm::cl::desc("Rule files: DRR (.td), pdl (.mlir), or a compiled program (.drrbc)")};
  ListOption<std::string> includes{*this, "include", llvm::cl::desc("Folders for included TableGen files")};
  ListOption<std::string> defines{*this, "define", llvm::cl::desc("Preprocessor macros of TableGen")};
  ListOption<std::string> natives{*this, "natives", llvm::cl::desc("Scripts with natives")};
  ListOption<std::string> enable{*this, "enable", llvm::cl::desc("Use only rules with these names or labels")};
  ListOption<std::string> disable{*this, "disable", llvm::cl::desc("Leave out rules with these names or labels")};
  Option<bool> allowMissing{
      *this, "allow-missing-natives", llvm::cl::init(false),
      llvm::cl::desc("Drop rules that call natives that are not registered, with a warning for each")};

  std::shared_ptr<Loaded> loaded;
};

struct RewritePass : RulesPass<RewritePass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RewritePass)

  RewritePass() = default;
  RewritePass(const RewritePass &other) : RulesPass(other) {}

  StringRef getArgument() const final { return "drrvm-rewrite"; }
  StringRef getDescription() const final { return "Apply declarative rewrite rules that are read at run time"; }

  LogicalResult initialize(MLIRContext *context) override {
    if (driver != "greedy" && driver != "walk" && driver != "own-greedy" && driver != "own-walk")
      return emitError(UnknownLoc::get(context))
             << "unknown driver '" << driver << "': expected greedy, walk, own-greedy or own-walk";
    if (engine != "tree" && engine != "automaton" && engine != "auto")
      return emitError(UnknownLoc::get(context))
             << "unknown engine '" << engine << "': expected tree, automaton or auto";
    if (engine != "tree" && (driver == "greedy" || driver == "walk"))
      return emitError(UnknownLoc::get(context))
             << "engine=" << engine << " needs driver=own-greedy or driver=own-walk, because MLIR's drivers do not "
             << "notify patterns of all changes";
    if (regionSimplify != "disabled" && regionSimplify != "normal" && regionSimplify != "aggressive")
      return emitError(UnknownLoc::get(context)) << "unknown region-simplify '" << regionSimplify
                                                 << "': expected disabled, normal or aggressive";
    if (fold.hasValue() && fold && (driver == "walk" || driver == "own-walk"))
      return emitError(UnknownLoc::get(context))
             << "fold=true needs driver=greedy or driver=own-greedy, because driver=" << driver << " does not fold";
    if (fold.hasValue() && fold && driver == "own-greedy" && natives.empty())
      return emitError(UnknownLoc::get(context))
             << "fold=true needs driver=greedy, because driver=own-greedy only runs folds that scripts register";
    if (failed(RulesPass::initialize(context)))
      return failure();
    RewritePatternSet patterns(context);
    drrvm::populateAlone(patterns, loaded->rules);
    loaded->patterns = FrozenRewritePatternSet(std::move(patterns));
    return success();
  }

  bool profiles() const override {
    StringRef file = report;
    return file.ends_with(".json") || file.ends_with(".html");
  }

  void runOnOperation() override {
    if (profiles()) {
      uint64_t operations = 0;
      getOperation()->walk([&](Operation *) { ++operations; });
      std::lock_guard<std::mutex> lock(loaded->mutex);
      loaded->operations += operations;
    }
    bool converged = apply(getOperation());
    count();
    drrvm::Rules::Reporter reporter(&getContext());
    bool nativeFailed =
        drrvm_rules_failures(loaded->rules->get(), drrvm::Rules::Reporter::report, &reporter);
    if ((!converged && !allowNonconvergence) || nativeFailed)
      return signalPassFailure();
    if (!report.empty() && failed(writeReport()))
      signalPassFailure();
  }

  /// Applies the rules. Returns false if they do not converge, which is an error unless `allow-nonconvergence` is set.
  bool apply(Operation *op) {
    // As in MLIR, a run without iterations changes nothing and succeeds.
    if (maxIterations == 0)
      return true;
    if (driver == "walk") {
      walkAndApplyPatterns(op, loaded->patterns);
      return true;
    }
    if (driver == "greedy") {
      int64_t rewritesInIteration = maxRewrites;
      if (!maxRewrites.hasValue()) {
        rewritesInIteration = 10000;
        op->walk([&](Operation *) { rewritesInIteration += 8; });
      }
      forgetRecent();
      GreedyRewriteConfig config;
      config.setUseTopDownTraversal(topDown)
          .setMaxIterations(maxIterations)
          .setMaxNumRewrites(rewritesInIteration)
          .enableFolding(fold)
          .enableConstantCSE(mergeConstants)
          .setRegionSimplificationLevel(regionSimplify == "aggressive" ? GreedySimplifyRegionLevel::Aggressive
                                        : regionSimplify == "normal"   ? GreedySimplifyRegionLevel::Normal
                                                                       : GreedySimplifyRegionLevel::Disabled);
      if (succeeded(applyPatternsGreedily(op, loaded->patterns, config)))
        return true;
      if (!allowNonconvergence)
        reportNonconvergence(op, rewritesInIteration);
      return false;
    }
    uint32_t kind = engine == "automaton" ? DRRVM_ENGINE_AUTOMATON
                    : engine == "auto"    ? DRRVM_ENGINE_AUTO
                                          : DRRVM_ENGINE_TREE;
    DrrvmDriver own = {kind, driver == "own-walk", topDown, fold, mergeConstants, maxIterations, maxRewrites};
    std::string reason;
    auto note = [](void *user, const DrrvmMessage *message) {
      static_cast<std::string *>(user)->assign(message->text.data, message->text.length);
    };
    bool converged = drrvm_rules_drive(loaded->rules->get(), op, &own, note, &reason);
    if (!converged && !allowNonconvergence)
      op->emitError(reason);
    return converged;
  }

  /// Reports that MLIR's greedy driver has reached its limits, with the rules that it applied last.
  void reportNonconvergence(Operation *op, int64_t rewritesInIteration) {
    InFlightDiagnostic error = op->emitError("rewriting does not converge within ");
    error << int64_t(maxIterations) << (maxIterations == 1 ? " iteration" : " iterations");
    if (rewritesInIteration != GreedyRewriteConfig::kNoLimit)
      error << " of at most " << rewritesInIteration << (rewritesInIteration == 1 ? " rewrite" : " rewrites");
    std::string firing;
    auto add = [](void *user, DrrvmString rule, uint64_t) {
      auto &list = *static_cast<std::string *>(user);
      list.append(list.empty() ? "; these keep firing: " : ", ").append(rule.data, rule.length);
    };
    drrvm_rules_take_recent(loaded->rules->get(), add, &firing);
    error << firing << "; allow-nonconvergence keeps the result";
  }

  /// Makes `drrvm_rules_take_recent` leave out earlier rewrites.
  void forgetRecent() {
    drrvm_rules_take_recent(loaded->rules->get(), [](void *, DrrvmString, uint64_t) {}, nullptr);
  }

  /// Adds the events that no clone has counted yet to the statistics of this clone.
  void count() {
    std::lock_guard<std::mutex> lock(loaded->mutex);
    DrrvmCounts now = drrvm_rules_counts(loaded->rules->get());
    matches += now.matches - loaded->counted.matches;
    rewrites += now.rewrites - loaded->counted.rewrites;
    refusals += now.refusals - loaded->counted.refusals;
    loaded->counted = now;
  }

  /// Writes the report on all runs up to now: a profile, or the counts in total and of each rule.
  LogicalResult writeReport() {
    std::lock_guard<std::mutex> lock(loaded->mutex);
    if (profiles()) {
      drrvm::Rules::Reporter reporter(&getContext());
      return success(drrvm_rules_write_profile(loaded->rules->get(), drrvm::detail::view(report.getValue()),
                                               loaded->operations, drrvm::Rules::Reporter::report, &reporter));
    }
    std::error_code error;
    llvm::raw_fd_ostream out(report, error, llvm::sys::fs::OF_Text);
    if (error)
      return getOperation()->emitError("cannot write '") << report << "': " << error.message();
    DrrvmCounts now = drrvm_rules_counts(loaded->rules->get());
    out << "# " << now.matches << " matches, " << now.rewrites << " rewrites, " << now.refusals << " refusals\n";
    auto line = [](void *user, DrrvmString rule, uint64_t rewrites) {
      *static_cast<llvm::raw_fd_ostream *>(user) << rewrites << '\t' << StringRef(rule.data, rule.length) << '\n';
    };
    drrvm_rules_count_by_rule(loaded->rules->get(), line, &out);
    return success();
  }

  Option<std::string> driver{
      *this, "driver", llvm::cl::init("greedy"),
      llvm::cl::desc("MLIR's driver `greedy` or `walk`, or drrvm's own: `own-greedy`, `own-walk`")};
  Option<std::string> engine{
      *this, "engine", llvm::cl::init("tree"),
      llvm::cl::desc("The engine of drrvm's own drivers: `tree`, `automaton`, or `auto` (the tree "
                     "at first, then the automaton)")};
  Option<bool> topDown{*this, "top-down", llvm::cl::init(false), llvm::cl::desc("Visit the first operations first")};
  Option<bool> fold{*this, "fold", llvm::cl::init(true), llvm::cl::desc("Fold operations; `own-greedy` only runs folds that scripts register")};
  Option<bool> mergeConstants{*this, "cse-constants", llvm::cl::init(true), llvm::cl::desc("Merge equal constants")};
  Option<std::string> regionSimplify{*this, "region-simplify", llvm::cl::init("disabled"),
                                     llvm::cl::desc("`disabled`, `normal` or `aggressive`, as for canonicalize")};
  Option<int64_t> maxIterations{*this, "max-iterations", llvm::cl::init(10),
                                llvm::cl::desc("Stop after N iterations; 0 to apply no rule; -1 for no bound")};
  Option<int64_t> maxRewrites{*this, "max-num-rewrites", llvm::cl::init(-1),
                              llvm::cl::desc("End an iteration after N rewrites; -1 for no bound. By default, `greedy` "
                                             "has the bound 10000 plus 8 for each operation")};
  Option<bool> allowNonconvergence{*this, "allow-nonconvergence", llvm::cl::init(false),
                                   llvm::cl::desc("Succeed even if the rules do not converge")};
  Option<std::string> report{*this, "report",
                             llvm::cl::desc("Write the number of rewrites of each rule to this file; to .json or .html, a "
                                            "profile as `drrvm profile` writes it")};
  Statistic matches{this, "matches", "Matches, whether applied or rolled back"};
  Statistic rewrites{this, "rewrites", "Rules that were applied"};
  Statistic refusals{this, "refusals", "Matches that were rolled back"};
};

struct ExplainPass : RulesPass<ExplainPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExplainPass)

  ExplainPass() = default;
  ExplainPass(const ExplainPass &other) : RulesPass(other) {}

  StringRef getArgument() const final { return "drrvm-explain"; }
  StringRef getDescription() const final { return "Report why rules match operations or do not match"; }

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(RulesPass::initialize(context)))
      return failure();
    drrvm::Rules::Reporter reporter(context);
    return success(rule.empty() ||
                   drrvm_rules_find(loaded->rules->get(), drrvm::detail::view(rule.getValue()),
                                    drrvm::Rules::Reporter::report, &reporter));
  }

  void runOnOperation() override {
    this->markAllAnalysesPreserved();
    getOperation()->walk([&](Operation *op) {
      if (!opName.empty() && op->getName().getStringRef() != opName)
        return;
      if (opName.empty() && op == getOperation())
        return;
      auto remark = [](void *user, const DrrvmMessage *message) {
        static_cast<Operation *>(user)->emitRemark(StringRef(message->text.data, message->text.length));
      };
      drrvm_rules_explain(loaded->rules->get(), op, drrvm::detail::view(rule.getValue()), remark, op);
    });
  }

  Option<std::string> opName{*this, "op", llvm::cl::desc("Explain only operations with this name")};
  Option<std::string> rule{*this, "rule", llvm::cl::desc("Explain only the rule with this name or label")};
};

} // namespace

extern "C" void drrvm_cpp_register_passes() {
  PassRegistration<RewritePass>();
  PassRegistration<ExplainPass>();
}
