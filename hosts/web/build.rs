//! Sets the stack size of the WebAssembly module.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // Recursion needs more than the default of 1 MiB. The stack lies first in memory, so that an overflow traps.
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=8388608");
    }
}
