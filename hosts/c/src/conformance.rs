//! Compares a host of C functions, which call the built-in IR, with the built-in IR itself.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::hash::Hash;
use std::sync::Arc;

use drrvm::compile;
use drrvm::conformance::{self, Case, Kit};
use drrvm::host::{
    AttrKind, AttrNameId, Bind, Facets, Ir as _, IrMut, NamedAttr, Natives, NoListener, OpNameId, OpState,
    Region, Signedness, TypeKind, WalkOrder,
};
use drrvm::ir::{AttrId, Context, IrHost, LocId, OpId, PrintOptions, TypeId, UseId, ValueId, parse_module};
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

use crate::host::{Host, drrvm_host, drrvm_id, drrvm_op_state, drrvm_visit};

/// The numbers of the entities of one kind, from one.
struct Numbers<T> {
    entities: Vec<T>,
    numbers: HashMap<T, drrvm_id>,
}

impl<T: Copy + Eq + Hash> Numbers<T> {
    fn new() -> Self {
        Self { entities: Vec::new(), numbers: HashMap::new() }
    }

    fn of(&mut self, entity: T) -> drrvm_id {
        let next = self.entities.len() + 1;
        let number = *self.numbers.entry(entity).or_insert(next);
        match self.entities.get_mut(number - 1) {
            // The id of an erased entity equals the id of a later entity in the same slot. In debug builds, only the
            // later id can be used.
            Some(known) => *known = entity,
            None => self.entities.push(entity),
        }
        number
    }

    fn get(&self, number: drrvm_id) -> T {
        self.entities[number - 1]
    }
}

/// The IR behind the functions.
struct Ir {
    host: IrHost,
    ops: Numbers<OpId>,
    values: Numbers<ValueId>,
    types: Numbers<TypeId>,
    attrs: Numbers<AttrId>,
    uses: Numbers<UseId>,
    locations: Numbers<LocId>,
}

impl Ir {
    fn new(host: IrHost) -> Self {
        Self {
            host,
            ops: Numbers::new(),
            values: Numbers::new(),
            types: Numbers::new(),
            attrs: Numbers::new(),
            uses: Numbers::new(),
            locations: Numbers::new(),
        }
    }

    fn text(&self) -> String {
        self.host.module.print(&self.host.context, PrintOptions::new().generic(true))
    }
}

/// The text of a name, type or attribute.
///
/// # Safety
/// `text` points to `length` bytes of UTF-8.
unsafe fn str<'a>(text: *const c_char, length: usize) -> &'a str {
    // SAFETY: as for this function.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).expect("the text is UTF-8")
}

/// The elements of an array, which can be null if it is empty.
///
/// # Safety
/// `array` points to `count` elements.
unsafe fn slice<'a, T>(array: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: as for this function.
    unsafe { std::slice::from_raw_parts(array, count) }
}

/// Defines functions whose first parameter stands for the IR.
macro_rules! functions {
    ($(fn $name:ident($ir:ident $(, $arg:ident: $ty:ty)*) -> $result:ty $body:block)*) => {
        $(unsafe extern "C" fn $name(data: *mut c_void $(, $arg: $ty)*) -> $result {
            // SAFETY: `table` passes a pointer to an IR that lives as long as the host.
            let mut ir = unsafe { &*data.cast::<RefCell<Ir>>() }.borrow_mut();
            let $ir = &mut *ir;
            $body
        })*
    };
}

functions! {
    fn op_name(ir, op: drrvm_id) -> u32 { ir.host.op_name(ir.ops.get(op)).raw() }
    fn operand_count(ir, op: drrvm_id) -> u32 { ir.host.operand_count(ir.ops.get(op)) }
    fn operand(ir, op: drrvm_id, index: u32) -> drrvm_id {
        ir.values.of(ir.host.operand(ir.ops.get(op), index))
    }
    fn result_count(ir, op: drrvm_id) -> u32 { ir.host.result_count(ir.ops.get(op)) }
    fn result(ir, op: drrvm_id, index: u32) -> drrvm_id {
        ir.values.of(ir.host.result(ir.ops.get(op), index))
    }
    fn attr(ir, op: drrvm_id, name: u32) -> drrvm_id {
        ir.host.attr(ir.ops.get(op), AttrNameId::from_raw(name)).map_or(0, |attr| ir.attrs.of(attr))
    }
    fn defining_op(ir, value: drrvm_id) -> drrvm_id {
        ir.host.defining_op(ir.values.get(value)).map_or(0, |op| ir.ops.of(op))
    }
    fn value_type(ir, value: drrvm_id) -> drrvm_id { ir.types.of(ir.host.value_type(ir.values.get(value))) }
    fn first_use(ir, value: drrvm_id) -> drrvm_id {
        ir.host.first_use(ir.values.get(value)).map_or(0, |used| ir.uses.of(used))
    }
    fn next_use(ir, used: drrvm_id) -> drrvm_id {
        ir.host.next_use(ir.uses.get(used)).map_or(0, |used| ir.uses.of(used))
    }
    fn use_owner(ir, used: drrvm_id) -> drrvm_id { ir.ops.of(ir.host.use_owner(ir.uses.get(used))) }
    fn use_index(ir, used: drrvm_id) -> u32 { ir.host.use_index(ir.uses.get(used)) }
    fn bind_op_name(ir, text: *const c_char, length: usize) -> u32 {
        // SAFETY: the library passes a text with its length.
        ir.host.bind_op_name(unsafe { str(text, length) }).raw()
    }
    fn bind_attr_name(ir, text: *const c_char, length: usize) -> u32 {
        // SAFETY: the library passes a text with its length.
        ir.host.bind_attr_name(unsafe { str(text, length) }).raw()
    }
    fn bind_type(ir, text: *const c_char, length: usize) -> drrvm_id {
        // SAFETY: the library passes a text with its length.
        ir.host.bind_type(unsafe { str(text, length) }).map_or(0, |ty| ir.types.of(ty))
    }
    fn bind_attr(ir, text: *const c_char, length: usize) -> drrvm_id {
        // SAFETY: the library passes a text with its length.
        ir.host.bind_attr(unsafe { str(text, length) }).map_or(0, |attr| ir.attrs.of(attr))
    }
    fn create(ir, before: drrvm_id, state: *const drrvm_op_state) -> drrvm_id {
        // SAFETY: the library passes a state whose arrays are valid until this function returns.
        let (state, operands, types, attributes) = unsafe {
            let state = &*state;
            (
                state,
                slice(state.operands, state.operand_count),
                slice(state.result_types, state.result_count),
                slice(state.attributes, state.attribute_count),
            )
        };
        let operands: Vec<_> = operands.iter().map(|&value| ir.values.get(value)).collect();
        let result_types: Vec<_> = types.iter().map(|&ty| ir.types.get(ty)).collect();
        let named = attributes.iter().map(|attr| NamedAttr {
            name: AttrNameId::from_raw(attr.name),
            value: ir.attrs.get(attr.value),
            inherent: attr.inherent,
        });
        let attributes: Vec<_> = named.collect();
        let state = OpState {
            name: OpNameId::from_raw(state.name),
            operands: &operands,
            result_types: &result_types,
            attributes: &attributes,
            regions: state.region_count,
            location: ir.locations.get(state.location),
        };
        ir.host.create(ir.ops.get(before), &state).map_or(0, |op| ir.ops.of(op))
    }
    fn replace_all_uses(ir, from: drrvm_id, to: drrvm_id) -> () {
        ir.host.replace_all_uses(ir.values.get(from), ir.values.get(to));
    }
    fn erase(ir, op: drrvm_id) -> () { ir.host.erase(ir.ops.get(op)) }
    fn parent_op(ir, op: drrvm_id) -> drrvm_id {
        ir.host.parent_op(ir.ops.get(op)).map_or(0, |op| ir.ops.of(op))
    }
    fn attr_type(ir, attr: drrvm_id) -> drrvm_id {
        ir.host.attr_type(ir.attrs.get(attr)).map_or(0, |ty| ir.types.of(ty))
    }
    fn location(ir, op: drrvm_id) -> drrvm_id { ir.locations.of(ir.host.location(ir.ops.get(op))) }
    fn is_terminator(ir, op: drrvm_id) -> bool { ir.host.is_terminator(ir.ops.get(op)) }
    fn integer_width(ir, ty: drrvm_id) -> u32 {
        match ir.host.type_kind(ir.types.get(ty)) {
            TypeKind::Integer { width, signedness: Signedness::Signless } => width,
            _ => 0,
        }
    }
    fn attr_int(ir, attr: drrvm_id, value: *mut i64) -> u32 {
        let Some(int) = ir.host.attr_int(ir.attrs.get(attr)) else { return 0 };
        let Some(number) = int.to_i64() else { return 0 };
        // SAFETY: the library passes a pointer to an integer.
        unsafe { *value = number };
        int.width()
    }
    fn make_int(ir, value: i64, ty: drrvm_id) -> drrvm_id {
        let text = format!("{value} : {}", ir.host.type_text(ir.types.get(ty)));
        ir.host.bind_attr(&text).map_or(0, |attr| ir.attrs.of(attr))
    }
    fn make_integer_type(ir, width: u32) -> drrvm_id {
        ir.host.bind_type(&format!("i{width}")).map_or(0, |ty| ir.types.of(ty))
    }
    fn move_blocks(ir, from: drrvm_id, from_index: u32, to: drrvm_id, to_index: u32) -> bool {
        let from = Region { op: ir.ops.get(from), index: from_index };
        let to = Region { op: ir.ops.get(to), index: to_index };
        ir.host.move_blocks(from, to).is_ok()
    }
}

unsafe extern "C" fn walk(
    data: *mut c_void,
    root: drrvm_id,
    post_order: bool,
    visit: drrvm_visit,
    closure: *mut c_void,
) {
    let order = if post_order { WalkOrder::Post } else { WalkOrder::Pre };
    let inside: Vec<drrvm_id> = {
        // SAFETY: as for the other functions. The IR is not borrowed while the operations are visited.
        let mut ir = unsafe { &*data.cast::<RefCell<Ir>>() }.borrow_mut();
        let mut inside = Vec::new();
        ir.host.walk(ir.ops.get(root), order, &mut |op| inside.push(op));
        inside.into_iter().map(|op| ir.ops.of(op)).collect()
    };
    for op in inside {
        // SAFETY: the library passes a function with its closure.
        unsafe { visit.expect("a function")(closure, op) };
    }
}

fn table(ir: &RefCell<Ir>) -> drrvm_host {
    drrvm_host {
        data: std::ptr::from_ref(ir).cast_mut().cast(),
        op_name: Some(op_name),
        operand_count: Some(operand_count),
        operand: Some(operand),
        result_count: Some(result_count),
        result: Some(result),
        attr: Some(attr),
        defining_op: Some(defining_op),
        value_type: Some(value_type),
        first_use: Some(first_use),
        next_use: Some(next_use),
        use_owner: Some(use_owner),
        use_index: Some(use_index),
        bind_op_name: Some(bind_op_name),
        bind_attr_name: Some(bind_attr_name),
        bind_type: Some(bind_type),
        bind_attr: Some(bind_attr),
        create: Some(create),
        replace_all_uses: Some(replace_all_uses),
        erase: Some(erase),
        parent_op: Some(parent_op),
        walk: Some(walk),
        attr_type: Some(attr_type),
        location: Some(location),
        fuse_locations: None,
        is_terminator: Some(is_terminator),
        integer_width: Some(integer_width),
        attr_int: Some(attr_int),
        make_int: Some(make_int),
        make_integer_type: Some(make_integer_type),
        move_blocks: Some(move_blocks),
    }
}

/// Returns the IR of a module, a host that reads it through functions, and the id of its top operation. The IR lives
/// until the process ends.
fn host(module: &IrHost) -> (&'static RefCell<Ir>, Host, drrvm_id) {
    let ir: &RefCell<Ir> = Box::leak(Box::new(RefCell::new(Ir::new(module.clone()))));
    let top = ir.borrow_mut().ops.of(module.module.top());
    (ir, Host::new(&table(ir), true).expect("all functions are present"), top)
}

/// True if the interface can represent all types and attributes: it knows only signless integers of up to 64 bits.
fn is_representable(module: &IrHost) -> bool {
    let is_integer = |ty: TypeId| {
        matches!(module.type_kind(ty), TypeKind::Integer { width: ..=64, signedness: Signedness::Signless })
    };
    module.module.preorder(module.module.top()).skip(1).all(|op| {
        let results = module.module.results(op).map(|value| module.value_type(value));
        let operands = (0..module.operand_count(op)).map(|i| module.value_type(module.operand(op, i)));
        let dictionaries = [module.module.properties(op), module.module.attrs(op)];
        let mut attrs = dictionaries.into_iter().flat_map(|all| module.context.entries(all));
        results.chain(operands).all(is_integer)
            && attrs.all(|&(_, attr)| {
                module.attr_kind(attr) == AttrKind::Integer && module.attr_type(attr).is_some_and(is_integer)
            })
    })
}

/// The cases whose natives are Rust functions that ask for the text of any operation name, for `f32`, or for strings.
/// The interface has no functions for these questions, and natives in C do not ask them.
const OTHER_QUESTIONS: [&str; 6] = [
    "benefit-by-constraint",
    "enumeration-helpers",
    "native-constraint",
    "native-constraint-negated",
    "native-constraint-with-results",
    "native-rewrite",
];

#[test]
fn the_interface_conforms() {
    let make = |module: &IrHost| {
        let (_, host, top) = host(module);
        is_representable(module).then_some((host, top))
    };
    let mut report = Kit::new(make).corpus().report();
    println!("{report}");
    report.faults.retain(|fault| !OTHER_QUESTIONS.contains(&fault.case.as_str()));
    assert!(report.passed(), "{report}");
    assert!(report.compared.len() > 70, "{} cases", report.compared.len());
    for case in ["regions-taken", "regions-taken-from-an-operation-that-remains"] {
        assert!(report.compared.iter().any(|name| name == case), "{case} is not compared");
    }
}

/// The rule of the case moves regions to a new operation. A host without `move_blocks` refuses the rewrite.
#[test]
fn a_host_without_regions_refuses_to_take_them() {
    let cases = conformance::cases();
    let case: &Case = cases.iter().find(|case| case.name == "regions-taken").expect("the case exists");
    let mut sources = SourceMap::default();
    let (rules, _) = case.load(&mut sources).expect("the rules are right");
    let program = Arc::new(compile::program(&rules).expect("the rules are right"));
    let file = sources.add("ir", case.ir.clone()).expect("the text is short");
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).expect("the IR is right");
    let module = IrHost::new(context, module);
    for has_regions in [true, false] {
        let (ir, _, top) = host(&module);
        let mut table = table(ir);
        table.move_blocks = table.move_blocks.filter(|_| has_regions);
        let mut host = Host::new(&table, true).expect("all required functions are present");
        let matcher = Matcher::link(program.clone(), &mut host, &Natives::new(), &LinkOptions::default());
        let matcher = matcher.unwrap_or_else(|error| panic!("{error}"));
        let before = ir.borrow().text();
        let report = apply_greedily(&mut host, top, &matcher, &Config::default(), &mut NoListener);
        assert_eq!((report.rewrites == 1, report.refused == 1), (has_regions, !has_regions));
        assert_eq!(ir.borrow().text() == before, !has_regions);
    }
}
