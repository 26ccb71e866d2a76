// drrvm in an MLIR compiler: natives in C++, and rules as rewrite patterns.
//
//   drrvm::Natives natives;
//   natives.rewrite("twice", [](mlir::PatternRewriter &rewriter, mlir::IntegerAttr a) -> mlir::Attribute {
//     return rewriter.getIntegerAttr(a.getType(), a.getValue() * 2);
//   });
//   drrvm::Source source;
//   source.files = {"rules.td"};
//   if (failed(drrvm::populate(patterns, source, natives)))
//     return failure(); // The errors are diagnostics of MLIR, at the lines of the rules.
//
// The header needs C++17, and neither exceptions nor RTTI. Link libdrrvm_mlir.
#ifndef DRRVM_MLIR_H
#define DRRVM_MLIR_H

#include "drrvm/detail.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace drrvm {
namespace detail {

/// An argument whose type C++ chooses: it converts to the class of MLIR that a helper expects.
struct AnyArgument {
  const DrrvmEntity &entity;

  template <typename T, std::enable_if_t<std::is_base_of_v<mlir::Attribute, T> && !std::is_same_v<T, mlir::Location>,
                                         int> = 0>
  operator T() const {
    return mlir::cast_or_null<T>(mlir::Attribute::getFromOpaquePointer(entity.data));
  }
  template <typename T, std::enable_if_t<std::is_base_of_v<mlir::Type, T>, int> = 0>
  operator T() const {
    return mlir::cast_or_null<T>(mlir::Type::getFromOpaquePointer(entity.data));
  }
  template <typename T, std::enable_if_t<std::is_base_of_v<mlir::Value, T>, int> = 0>
  operator T() const {
    return mlir::cast_or_null<T>(mlir::Value::getFromOpaquePointer(entity.data));
  }
  operator mlir::Location() const {
    return mlir::Location(mlir::cast<mlir::LocationAttr>(mlir::Attribute::getFromOpaquePointer(entity.data)));
  }
  operator mlir::Operation *() const { return static_cast<mlir::Operation *>(const_cast<void *>(entity.data)); }
  operator mlir::ValueRange() const {
    return mlir::ValueRange(llvm::ArrayRef<mlir::Value>(static_cast<const mlir::Value *>(entity.data), entity.count));
  }
  operator mlir::TypeRange() const {
    return mlir::TypeRange(llvm::ArrayRef<mlir::Type>(static_cast<const mlir::Type *>(entity.data), entity.count));
  }
  operator llvm::StringRef() const { return llvm::StringRef(static_cast<const char *>(entity.data), entity.count); }
};

/// The conversion of an argument to the type of a parameter; `Kind` is the kind of the parameter in the signature.
template <typename T, typename = void> struct Parameter;

template <typename T> struct Parameter<T, std::enable_if_t<std::is_base_of_v<mlir::Attribute, T>>> {
  static constexpr uint32_t Kind = std::is_same_v<T, mlir::Location> ? DRRVM_LOCATION : DRRVM_ATTR;
  static bool fits(const DrrvmEntity &e) {
    auto attribute = mlir::Attribute::getFromOpaquePointer(e.data);
    return !attribute || mlir::isa<T>(attribute);
  }
  static T get(const DrrvmEntity &e) { return mlir::cast_or_null<T>(mlir::Attribute::getFromOpaquePointer(e.data)); }
};
template <> struct Parameter<mlir::Location> {
  static constexpr uint32_t Kind = DRRVM_LOCATION;
  static bool fits(const DrrvmEntity &e) { return e.data; }
  static mlir::Location get(const DrrvmEntity &e) {
    return mlir::Location(mlir::cast<mlir::LocationAttr>(mlir::Attribute::getFromOpaquePointer(e.data)));
  }
};
template <typename T> struct Parameter<T, std::enable_if_t<std::is_base_of_v<mlir::Type, T>>> {
  static constexpr uint32_t Kind = DRRVM_TYPE;
  static bool fits(const DrrvmEntity &e) { return e.data && mlir::isa<T>(mlir::Type::getFromOpaquePointer(e.data)); }
  static T get(const DrrvmEntity &e) { return mlir::cast<T>(mlir::Type::getFromOpaquePointer(e.data)); }
};
template <typename T> struct Parameter<T, std::enable_if_t<std::is_base_of_v<mlir::Value, T>>> {
  static constexpr uint32_t Kind = DRRVM_VALUE;
  static bool fits(const DrrvmEntity &e) {
    auto value = mlir::Value::getFromOpaquePointer(e.data);
    return !value || mlir::isa<T>(value);
  }
  static T get(const DrrvmEntity &e) { return mlir::cast_or_null<T>(mlir::Value::getFromOpaquePointer(e.data)); }
};
template <> struct Parameter<mlir::Operation *> {
  static constexpr uint32_t Kind = DRRVM_OP;
  static bool fits(const DrrvmEntity &e) { return e.data; }
  static mlir::Operation *get(const DrrvmEntity &e) { return AnyArgument{e}; }
};
template <> struct Parameter<mlir::ValueRange> {
  static constexpr uint32_t Kind = DRRVM_VALUES;
  static bool fits(const DrrvmEntity &) { return true; }
  static mlir::ValueRange get(const DrrvmEntity &e) { return AnyArgument{e}; }
};
template <> struct Parameter<mlir::TypeRange> {
  static constexpr uint32_t Kind = DRRVM_TYPES;
  static bool fits(const DrrvmEntity &) { return true; }
  static mlir::TypeRange get(const DrrvmEntity &e) { return AnyArgument{e}; }
};
template <> struct Parameter<llvm::ArrayRef<mlir::Attribute>> {
  static constexpr uint32_t Kind = DRRVM_ATTRS;
  static bool fits(const DrrvmEntity &) { return true; }
  static llvm::ArrayRef<mlir::Attribute> get(const DrrvmEntity &e) {
    return {static_cast<const mlir::Attribute *>(e.data), e.count};
  }
};
template <> struct Parameter<int64_t> {
  static constexpr uint32_t Kind = DRRVM_INT;
  static bool fits(const DrrvmEntity &) { return true; }
  static int64_t get(const DrrvmEntity &e) { return static_cast<int64_t>(e.count); }
};
template <> struct Parameter<bool> {
  static constexpr uint32_t Kind = DRRVM_BOOL;
  static bool fits(const DrrvmEntity &) { return true; }
  static bool get(const DrrvmEntity &e) { return e.count != 0; }
};
template <> struct Parameter<llvm::StringRef> {
  static constexpr uint32_t Kind = DRRVM_STRING;
  static bool fits(const DrrvmEntity &) { return true; }
  static llvm::StringRef get(const DrrvmEntity &e) { return AnyArgument{e}; }
};

template <> struct Parameter<llvm::APInt> {
  static constexpr uint32_t Kind = DRRVM_APINT;
  static bool fits(const DrrvmEntity &) { return true; }
  static llvm::APInt get(const DrrvmEntity &e) {
    unsigned width = static_cast<unsigned>(e.count);
    // The array has a word even if the width is 0.
    size_t words = std::max<size_t>(1, (e.count + 63) / 64);
    return llvm::APInt(width, llvm::ArrayRef<uint64_t>(static_cast<const uint64_t *>(e.data), words));
  }
};
template <> struct Parameter<llvm::APFloat> {
  static constexpr uint32_t Kind = DRRVM_APFLOAT;
  static bool fits(const DrrvmEntity &) { return true; }
  static llvm::APFloat get(const DrrvmEntity &e) {
    const auto &raw = *static_cast<const DrrvmFloat *>(e.data);
    const auto &semantics = *static_cast<const llvm::fltSemantics *>(raw.semantics);
    return llvm::APFloat(semantics, llvm::APInt(llvm::APFloat::semanticsSizeInBits(semantics), raw.bits));
  }
};

inline void push(DrrvmPush out, void *results, uint32_t kind, const void *data, size_t count = 0) {
  DrrvmEntity entity = {kind, data, count};
  out(results, &entity);
}

/// Passes one result to the rule.
inline void give(DrrvmPush out, void *to, mlir::Attribute a) { push(out, to, DRRVM_ATTR, a.getAsOpaquePointer()); }
inline void give(DrrvmPush out, void *to, mlir::Type t) { push(out, to, DRRVM_TYPE, t.getAsOpaquePointer()); }
inline void give(DrrvmPush out, void *to, mlir::Value v) { push(out, to, DRRVM_VALUE, v.getAsOpaquePointer()); }
inline void give(DrrvmPush out, void *to, mlir::Operation *op) { push(out, to, DRRVM_OP, op); }
inline void give(DrrvmPush out, void *to, int64_t i) { push(out, to, DRRVM_INT, nullptr, static_cast<size_t>(i)); }
inline void give(DrrvmPush out, void *to, bool b) { push(out, to, DRRVM_BOOL, nullptr, b); }
inline void give(DrrvmPush out, void *to, const std::string &s) { push(out, to, DRRVM_STRING, s.data(), s.size()); }
inline void give(DrrvmPush out, void *to, const llvm::APInt &i) {
  push(out, to, DRRVM_APINT, i.getRawData(), i.getBitWidth());
}
inline void give(DrrvmPush out, void *to, const llvm::APFloat &f) {
  llvm::APInt bits = f.bitcastToAPInt().zext(128);
  DrrvmFloat raw = {&f.getSemantics(), {bits.getRawData()[0], bits.getRawData()[1]}};
  push(out, to, DRRVM_APFLOAT, &raw);
}
inline void give(DrrvmPush out, void *to, const llvm::SmallVector<mlir::Value> &values) {
  push(out, to, DRRVM_VALUES, values.data(), values.size());
}
inline void give(DrrvmPush out, void *to, const llvm::SmallVector<mlir::Type> &types) {
  push(out, to, DRRVM_TYPES, types.data(), types.size());
}

template <typename T> constexpr uint32_t resultKind() {
  if constexpr (std::is_base_of_v<mlir::Attribute, T>)
    return DRRVM_ATTR;
  else if constexpr (std::is_base_of_v<mlir::Type, T>)
    return DRRVM_TYPE;
  else if constexpr (std::is_base_of_v<mlir::Value, T>)
    return DRRVM_VALUE;
  else if constexpr (std::is_pointer_v<T>)
    return DRRVM_OP;
  else if constexpr (std::is_same_v<T, bool>)
    return DRRVM_BOOL;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DRRVM_INT;
  else if constexpr (std::is_same_v<T, std::string>)
    return DRRVM_STRING;
  else if constexpr (std::is_same_v<T, llvm::APInt>)
    return DRRVM_APINT;
  else if constexpr (std::is_same_v<T, llvm::APFloat>)
    return DRRVM_APFLOAT;
  else if constexpr (std::is_same_v<T, llvm::SmallVector<mlir::Type>>)
    return DRRVM_TYPES;
  else
    return DRRVM_VALUES;
}

/// The results of a native: its return type, without the `std::optional` or `FailureOr` of a native that can fail.
template <typename R> struct Results {
  static std::vector<uint32_t> kinds() { return {resultKind<R>()}; }
  static bool give(DrrvmPush out, void *to, const R &result) {
    detail::give(out, to, result);
    return true;
  }
};
template <> struct Results<void> {
  static std::vector<uint32_t> kinds() { return {}; }
};
template <> struct Results<mlir::LogicalResult> {
  static std::vector<uint32_t> kinds() { return {}; }
  static bool give(DrrvmPush, void *, mlir::LogicalResult result) { return mlir::succeeded(result); }
};
template <typename R> struct Results<std::optional<R>> {
  static std::vector<uint32_t> kinds() { return Results<R>::kinds(); }
  static bool give(DrrvmPush out, void *to, const std::optional<R> &result) {
    return result && Results<R>::give(out, to, *result);
  }
};
template <typename R> struct Results<mlir::FailureOr<R>> {
  static std::vector<uint32_t> kinds() { return Results<R>::kinds(); }
  static bool give(DrrvmPush out, void *to, const mlir::FailureOr<R> &result) {
    return mlir::succeeded(result) && Results<R>::give(out, to, *result);
  }
};
template <typename... R> struct Results<std::tuple<R...>> {
  static std::vector<uint32_t> kinds() { return {resultKind<R>()...}; }
  static bool give(DrrvmPush out, void *to, const std::tuple<R...> &results) {
    std::apply([&](const R &...each) { (detail::give(out, to, each), ...); }, results);
    return true;
  }
};

/// The types of a function object: `R (mlir::PatternRewriter &, Args...)`.
template <typename F, typename = void> struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... Args>
struct Signature<R (C::*)(mlir::PatternRewriter &, Args...) const, void> : Signature<R(mlir::PatternRewriter &, Args...)> {};
template <typename R, typename... Args>
struct Signature<R (*)(mlir::PatternRewriter &, Args...), void> : Signature<R(mlir::PatternRewriter &, Args...)> {};
template <typename R, typename... Args> struct Signature<R(mlir::PatternRewriter &, Args...), void> {
  using Result = R;
  static std::vector<uint32_t> params() { return {Parameter<std::decay_t<Args>>::Kind...}; }

  template <typename F, size_t... I>
  static bool run(const F &function, mlir::PatternRewriter &rewriter, const DrrvmEntity *args, DrrvmPush out,
                  void *results, bool test, std::index_sequence<I...>) {
    if (!(Parameter<std::decay_t<Args>>::fits(args[I]) && ...))
      return false;
    if constexpr (std::is_void_v<R>) {
      function(rewriter, Parameter<std::decay_t<Args>>::get(args[I])...);
      return true;
    } else if constexpr (std::is_same_v<R, bool>) {
      bool result = function(rewriter, Parameter<std::decay_t<Args>>::get(args[I])...);
      return test ? result : Results<bool>::give(out, results, result);
    } else {
      return Results<R>::give(out, results, function(rewriter, Parameter<std::decay_t<Args>>::get(args[I])...));
    }
  }
  template <typename F>
  static bool call(const F &function, mlir::PatternRewriter &rewriter, const DrrvmEntity *args, size_t count,
                   DrrvmPush out, void *results, bool test) {
    return count == sizeof...(Args) &&
           run(function, rewriter, args, out, results, test, std::index_sequence_for<Args...>());
  }
};

template <typename F, bool Test>
bool callNative(const void *function, void *rewriter, const DrrvmEntity *args, size_t count, DrrvmPush out,
                void *results) {
  return Signature<F>::call(*static_cast<const F *>(function), *static_cast<mlir::PatternRewriter *>(rewriter), args,
                            count, out, results, Test);
}

inline DrrvmString view(llvm::StringRef text) { return {text.data(), text.size()}; }

} // namespace detail

/// Functions that rules call by name.
///
/// A function takes an `mlir::PatternRewriter &` and the arguments of the call: classes of `mlir::Attribute`, `Type`
/// and `Value`, `mlir::Operation *`, `ValueRange`, `TypeRange`, `Location`, `ArrayRef<Attribute>`, `int64_t`, `bool`,
/// `StringRef`, `APInt`, `APFloat`. If an argument is of another class, the rule does not match, or is rolled back. A
/// constraint returns `bool` or `LogicalResult`, or a `std::optional` or `FailureOr` of its result. A rewrite returns
/// nothing, a result, or a `std::tuple` of results; if it can fail, it returns a `LogicalResult`, or a `std::optional`
/// or `FailureOr` of its result. A rewrite may create operations, which are erased if the rule fails later; it must not
/// change the IR in any other way. Functions can be called from several threads.
class Natives {
public:
  template <typename F> Natives &constraint(llvm::StringRef name, F function) {
    return add<F, true>(name, std::move(function));
  }
  template <typename F> Natives &rewrite(llvm::StringRef name, F function) {
    return add<F, false>(name, std::move(function));
  }

  /// Registers a function that infers the result types of new operations with this name, if rules omit the types. The
  /// function takes the operands and the attributes, and replaces the type inference of MLIR.
  Natives &typeInference(llvm::StringRef op,
                         mlir::FailureOr<llvm::SmallVector<mlir::Type>> (*infer)(mlir::PatternRewriter &,
                                                                                 mlir::ValueRange,
                                                                                 mlir::DictionaryAttr)) {
    add<decltype(infer), false>(op, infer);
    natives->back()->role = DRRVM_TYPE_INFERENCE;
    return *this;
  }

  /// Makes the natives available to all rules that are loaded later in this process, for example by a pass plugin.
  void registerForAll() const {
    for (const DrrvmNative &native : all())
      drrvm_register_native(&native);
  }

  std::vector<DrrvmNative> all() const {
    std::vector<DrrvmNative> raw;
    for (const std::shared_ptr<Native> &native : *natives)
      raw.push_back({detail::view(native->name), native->role, native->params.data(),
                     ptrdiff_t(native->params.size()), native->results.data(),
                     native->results.size(), native->call, native->function});
    return raw;
  }
private:
  struct Native {
    std::string name;
    uint32_t role = DRRVM_CONSTRAINT;
    std::vector<uint32_t> params, results;
    DrrvmCall call = nullptr;
    const void *function = nullptr;
  };

  template <typename F, bool Test> Natives &add(llvm::StringRef name, F function) {
    using Types = detail::Signature<F>;
    auto native = std::make_shared<Native>();
    native->name = name.str();
    native->role = Test ? DRRVM_CONSTRAINT : DRRVM_REWRITE;
    native->params = Types::params();
    if constexpr (!(Test && std::is_same_v<typename Types::Result, bool>))
      native->results = detail::Results<typename Types::Result>::kinds();
    native->call = detail::callNative<F, Test>;
    // Rules can outlive this object, and there are few natives, so functions are never destroyed.
    native->function = new F(std::move(function));
    natives->push_back(native);
    return *this;
  }

  std::shared_ptr<std::vector<std::shared_ptr<Native>>> natives =
      std::make_shared<std::vector<std::shared_ptr<Native>>>();
};

/// The rules to load, and the options for loading them.
struct Source {
  /// Files: DRR (`.td`), `pdl` (`.mlir`) or one compiled program (`.drrbc`).
  std::vector<std::string> files;
  /// The bytes of a compiled program, if there are no files.
  llvm::ArrayRef<uint8_t> program;
  /// Folders for included files, and macros, as for TableGen.
  std::vector<std::string> includes, defines;
  /// Scripts with natives.
  std::vector<std::string> scripts;
  /// Names or labels of rules. If `enable` is empty, all rules are enabled.
  std::vector<std::string> enable, disable;
  /// True if rules that call unregistered natives are dropped, with a warning for each.
  bool allowMissingNatives = false;
  /// True if matching collects counts for `drrvm_rules_write_profile`, which makes matching slower.
  bool profile = false;
};

/// Rules that are linked to a context, which must outlive them.
class Rules {
public:
  /// Loads rules. Errors and warnings are diagnostics of the context, at the lines of the rules. Returns null after an
  /// error.
  static std::shared_ptr<const Rules> load(mlir::MLIRContext *context, const Source &source,
                                           const Natives &natives = {}) {
    auto list = [](const std::vector<std::string> &texts, std::vector<DrrvmString> &views) {
      for (const std::string &text : texts)
        views.push_back(detail::view(text));
      return DrrvmStrings{views.data(), views.size()};
    };
    std::vector<DrrvmString> files, includes, defines, scripts, enable, disable;
    std::vector<DrrvmNative> own = natives.all();
    DrrvmSource raw = {list(source.files, files),
                       source.program.data(),
                       source.program.size(),
                       list(source.includes, includes),
                       list(source.defines, defines),
                       list(source.scripts, scripts),
                       list(source.enable, enable),
                       list(source.disable, disable),
                       source.allowMissingNatives,
                       source.profile,
                       own.data(),
                       own.size()};
    Reporter reporter(context);
    DrrvmRules *rules = drrvm_rules_load(context, &raw, Reporter::report, &reporter);
    return rules ? std::shared_ptr<const Rules>(new Rules(rules)) : nullptr;
  }

  ~Rules() { drrvm_rules_destroy(rules); }
  Rules(const Rules &) = delete;
  Rules &operator=(const Rules &) = delete;

  DrrvmRules *get() const { return rules; }

  /// Turns messages of drrvm into diagnostics of MLIR; a note is attached to the message before it.
  class Reporter {
  public:
    explicit Reporter(mlir::MLIRContext *context) : context(context) {}

    static void report(void *user, const DrrvmMessage *message) {
      auto &self = *static_cast<Reporter *>(user);
      llvm::StringRef text(message->text.data, message->text.length), file(message->file.data, message->file.length);
      mlir::Location loc = mlir::UnknownLoc::get(self.context);
      if (!file.empty())
        loc = mlir::FileLineColLoc::get(self.context, file, message->line, message->column);
      if (message->severity == DRRVM_NOTE && self.last) {
        self.last->attachNote(loc) << text;
        return;
      }
      self.last.emplace(message->severity == DRRVM_ERROR     ? mlir::emitError(loc, text)
                        : message->severity == DRRVM_WARNING ? mlir::emitWarning(loc, text)
                                                             : mlir::emitRemark(loc, text));
    }

  private:
    mlir::MLIRContext *context;
    std::optional<mlir::InFlightDiagnostic> last;
  };

private:
  explicit Rules(DrrvmRules *rules) : rules(rules) {}
  DrrvmRules *rules;
};

/// A pattern that stands for rules with one root.
class RulesPattern : public mlir::RewritePattern {
public:
  /// Returns a pattern for all rules with the root and benefit of `drrvm_rules_pattern(rules, index)`. The patterns of
  /// the same `rules` do not match an operation again for each benefit: the first pattern that a driver tries at the
  /// operation finds the first rule that matches, and the others continue from there.
  static std::unique_ptr<RulesPattern> ofBenefit(std::shared_ptr<const Rules> rules, size_t index,
                                                 mlir::MLIRContext *context) {
    DrrvmPattern pattern = drrvm_rules_pattern(rules->get(), index);
    return make(std::move(rules), pattern, index, context);
  }
  /// Returns a pattern for all rules with the root `drrvm_rules_root(rules, index)`.
  static std::unique_ptr<RulesPattern> ofRoot(std::shared_ptr<const Rules> rules, size_t index,
                                              mlir::MLIRContext *context) {
    DrrvmPattern root = drrvm_rules_root(rules->get(), index);
    return make(std::move(rules), root, std::nullopt, context);
  }

  mlir::LogicalResult matchAndRewrite(mlir::Operation *op, mlir::PatternRewriter &rewriter) const override {
    std::string reason;
    auto note = [](void *user, const DrrvmMessage *message) {
      static_cast<std::string *>(user)->assign(message->text.data, message->text.length);
    };
    auto *base = static_cast<mlir::RewriterBase *>(&rewriter);
    int outcome = index ? drrvm_rules_apply(rules->get(), *index, op, base, note, &reason)
                        : drrvm_rules_apply_all(rules->get(), op, base, note, &reason);
    if (outcome == DRRVM_APPLIED)
      return mlir::success();
    if (outcome == DRRVM_REFUSED)
      return rewriter.notifyMatchFailure(op, reason);
    return rewriter.notifyMatchFailure(op, index ? "no rule of this benefit matches" : "no rule matches");
  }

private:
  template <typename Root>
  RulesPattern(std::shared_ptr<const Rules> rules, Root root, uint16_t benefit, std::optional<size_t> index,
               mlir::MLIRContext *context)
      : RewritePattern(root, benefit, context), rules(std::move(rules)), index(index) {
    // If a rule matches its own result again and again, the limits of the driver end the run.
    setHasBoundedRewriteRecursion();
    setDebugName("drrvm");
  }

  static std::unique_ptr<RulesPattern> make(std::shared_ptr<const Rules> rules, const DrrvmPattern &pattern,
                                            std::optional<size_t> index, mlir::MLIRContext *context) {
    llvm::StringRef root(pattern.root.data, pattern.root.length);
    RulesPattern *made =
        root.empty() ? new RulesPattern(std::move(rules), MatchAnyOpTypeTag(), pattern.benefit, index, context)
                     : new RulesPattern(std::move(rules), root, pattern.benefit, index, context);
    return std::unique_ptr<RulesPattern>(made);
  }

  std::shared_ptr<const Rules> rules;
  /// The index of the pattern; none for a pattern of all rules with one root.
  std::optional<size_t> index;
};

/// Adds the patterns of rules to a set: one pattern for each root and benefit, so that a driver can try other patterns
/// between rules of different benefits.
inline void populate(mlir::RewritePatternSet &patterns, const std::shared_ptr<const Rules> &rules) {
  mlir::MLIRContext *context = patterns.getContext();
  for (size_t index = 0, end = drrvm_rules_pattern_count(rules->get()); index != end; ++index)
    patterns.add(RulesPattern::ofBenefit(rules, index, context));
}

/// Adds one pattern for each root to a set that has no other patterns with these roots. This is faster than `populate`,
/// because drivers try one pattern at each operation.
inline void populateAlone(mlir::RewritePatternSet &patterns, const std::shared_ptr<const Rules> &rules) {
  mlir::MLIRContext *context = patterns.getContext();
  for (size_t index = 0, end = drrvm_rules_root_count(rules->get()); index != end; ++index)
    patterns.add(RulesPattern::ofRoot(rules, index, context));
}

/// Loads rules and adds their patterns to a set.
inline mlir::LogicalResult populate(mlir::RewritePatternSet &patterns, const Source &source,
                                    const Natives &natives = {}) {
  std::shared_ptr<const Rules> rules = Rules::load(patterns.getContext(), source, natives);
  if (!rules)
    return mlir::failure();
  populate(patterns, rules);
  return mlir::success();
}

} // namespace drrvm

#endif // DRRVM_MLIR_H
