//! The data of a rule set: its program, its natives, and a context to which it is linked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drrvm::host::Natives;
use drrvm::ir::{Context, IrHost, Module as Ir};
use drrvm::pdl::PatternId;
use drrvm::{Diagnostics, LinkOptions, Matcher, Program, RuleSet, SourceMap};
use pyo3::prelude::*;

use crate::errors::{Failure, Kind, Shown};
use crate::natives::with_type_inference;
use crate::state::{Link, Module, Text, parse};

/// Compiled rules, with everything that is needed to run them.
pub(crate) struct RulesData {
    /// The number of this rule set in the process.
    pub(crate) number: u64,
    pub(crate) sources: SourceMap,
    /// The rules that the program was compiled from; `None` for a loaded program.
    pub(crate) rules: Option<RuleSet>,
    pub(crate) program: Arc<Program>,
    pub(crate) natives: Natives<IrHost>,
    pub(crate) options: LinkOptions,
    /// True if rules can call Python functions.
    pub(crate) calls_python: bool,
    /// A context to which the program is linked. Texts are parsed in copies of this context.
    context: Context,
    matcher: Arc<Matcher<IrHost>>,
    pub(crate) warnings: Shown,
}

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The input of [`RulesData::link`].
pub(crate) struct Unlinked {
    pub(crate) sources: SourceMap,
    pub(crate) rules: Option<RuleSet>,
    pub(crate) program: Program,
    pub(crate) warnings: Diagnostics,
}

/// The functions of a rule set.
pub(crate) struct Functions {
    natives: Natives<IrHost>,
    /// True if there are Python functions.
    python: bool,
}

impl Functions {
    pub(crate) fn new(
        natives: Option<&Bound<'_, PyAny>>,
        type_inference: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let python = natives.is_some() || type_inference.is_some();
        let natives = with_type_inference(crate::natives::natives(natives)?, type_inference)?;
        Ok(Self { natives, python })
    }
}

impl RulesData {
    pub(crate) fn link(
        unlinked: Unlinked,
        functions: Functions,
        options: LinkOptions,
    ) -> Result<Self, Failure> {
        let Unlinked { sources, rules, program, warnings } = unlinked;
        let Functions { natives, python } = functions;
        let program = Arc::new(program);
        let mut context = Context::new();
        let module = Ir::new(&mut context);
        let mut host = IrHost::new(context, module);
        let matcher = Matcher::link(program.clone(), &mut host, &natives, &options)
            .map_err(|error| missing_natives(&error, &sources))?;
        Ok(Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            rules,
            program,
            natives,
            options,
            calls_python: python,
            context: host.context,
            matcher: Arc::new(matcher),
            warnings: Shown::new(&warnings, &sources),
            sources,
        })
    }

    /// Parses a module in a context to which the rules are linked.
    pub(crate) fn parse(&self, text: Text, name: &str, verify: bool) -> Result<Arc<Module>, Failure> {
        let (context, links) = self.linked_context();
        parse(text, name, context, links, verify).map(Module::new)
    }

    /// A context to which the rules are linked, and the link.
    pub(crate) fn linked_context(&self) -> (Context, Vec<Link>) {
        (self.context.clone(), vec![(self.number, self.matcher.clone())])
    }

    /// Links the rules to another context.
    pub(crate) fn link_to(&self, host: &mut IrHost) -> Result<Arc<Matcher<IrHost>>, Failure> {
        Matcher::link(self.program.clone(), host, &self.natives, &self.options)
            .map(Arc::new)
            .map_err(|error| missing_natives(&error, &self.sources))
    }

    /// Links the rules to another context, and leaves out rules whose natives are missing instead of failing.
    pub(crate) fn link_leniently(&self, host: &mut IrHost) -> Result<Matcher<IrHost>, Failure> {
        let options = LinkOptions { allow_missing: true, ..self.options.clone() };
        Matcher::link(self.program.clone(), host, &self.natives, &options)
            .map_err(|error| missing_natives(&error, &self.sources))
    }

    /// A context to which the program is linked.
    pub(crate) fn context(&self) -> Context {
        self.context.clone()
    }

    /// The rules that are left out.
    pub(crate) fn dropped(&self) -> Vec<PatternId> {
        self.matcher.dropped().collect()
    }

    pub(crate) fn rule_name(&self, rule: PatternId) -> String {
        self.program.pattern_name(rule).to_owned()
    }
}

fn missing_natives(error: &drrvm::vm::LinkError, sources: &SourceMap) -> Failure {
    Failure::new(Kind::MissingNative, error.diagnostics_with_places(), sources)
}
