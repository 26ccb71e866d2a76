//! Lets the linker leave Python's symbols undefined. The interpreter defines these symbols when it loads the library.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
