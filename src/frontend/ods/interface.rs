//! Interfaces of operations, attributes and types.

use super::fields::{namespace, text};
use super::model::{Interface, InterfaceKind, Method};
use crate::frontend::tablegen::{Record, Records, Value};

/// Reads all interfaces in the order of their records.
pub(super) fn interfaces(records: &Records) -> Vec<Interface<'_>> {
    let all = records.derived_definitions("Interface").into_iter().map(|id| records.record(id));
    all.filter_map(interface).collect()
}

fn interface(record: Record<'_>) -> Option<Interface<'_>> {
    // A record that requests the declarations of an interface's methods derives from an interface class, but declares
    // no interface of its own. It copies the fields of the interface.
    if record.is_subclass_of("DeclareInterfaceMethods") {
        return None;
    }
    let kind = match () {
        () if record.is_subclass_of("AttrInterface") => InterfaceKind::Attr,
        () if record.is_subclass_of("TypeInterface") => InterfaceKind::Type,
        () if record.is_subclass_of("OpInterface") => InterfaceKind::Op,
        () => return None,
    };
    let mut bases = Vec::new();
    for base in record.list_field("baseInterfaces").into_iter().flatten() {
        if let Value::Def(base) = base {
            bases.push(text(record.records().record(base), "cppInterfaceName"));
        }
    }
    let methods = record.list_field("methods").into_iter().flatten().filter_map(|method| match method {
        Value::Def(method) => Some(self::method(record.records().record(method))),
        _ => None,
    });
    Some(Interface {
        record: record.id(),
        kind,
        class: text(record, "cppInterfaceName"),
        namespace: namespace(record, "cppNamespace"),
        bases,
        methods: methods.collect(),
    })
}

fn method(record: Record<'_>) -> Method<'_> {
    let mut params = Vec::new();
    if let Ok(arguments) = record.dag_field("arguments") {
        for arg in arguments.args() {
            if let Value::String(ty) = arg.value {
                params.push((arg.name.unwrap_or(""), record.records().str(ty)));
            }
        }
    }
    Method {
        record: record.id(),
        name: text(record, "name"),
        returns: text(record, "returnType"),
        params,
        is_static: record.is_subclass_of("StaticInterfaceMethod"),
        body: text(record, "body"),
        default_body: text(record, "defaultBody"),
    }
}
