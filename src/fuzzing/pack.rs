//! The fuzz target of packs of definitions.

use std::sync::{Arc, OnceLock};

use super::show;
use crate::envelope;
use crate::frontend::dialects::DialectFiles;
use crate::host::Natives;
use crate::ir::dialect::{DialectPack, DialectSource};
use crate::ir::{self, Context, IrHost, PrintOptions};
use crate::ods_verify::LoadedDefinitions;
use crate::source::SourceMap;

/// A module whose operations have many kinds of declarative formats and registered forms.
const MODULE: &str = r#"
func.func @f(%t: tensor<?xf32>, %m: memref<4xf32>, %b: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = tensor.extract_slice %t[%c1] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = tensor.extract %t[%i] : tensor<?xf32>
    %y = math.absf %x fastmath<nnan> : f32
    %z = math.fma %x, %y, %acc : f32
    scf.yield %z : f32
  }
  %a = memref.alloca() {alignment = 8 : i64} : memref<4xf32>
  %v = memref.subview %m[%c0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
  memref.store %sum, %m[%c0] : memref<4xf32>
  memref.copy %m, %a : memref<4xf32> to memref<4xf32>
  scf.if %b { memref.dealloc %a : memref<4xf32> }
  return %sum : f32
}
"#;

/// A valid pack, and the module in custom form and in generic form.
struct Example {
    pack: Vec<u8>,
    texts: [String; 2],
}

fn example() -> &'static Example {
    static EXAMPLE: OnceLock<Example> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let mut context = Context::new();
        context.set_dialects(DialectFiles::new().shared());
        let mut sources = SourceMap::default();
        let file = sources.add("example.mlir", MODULE).expect("the text is short");
        let module = ir::parse_module(&mut context, sources.file(file)).expect("the example is valid");
        let generic = module.print(&context, PrintOptions::new().generic(true));
        let pack = DialectFiles::new().constraints(true).pack().expect("the prelude is valid");
        Example { pack, texts: [MODULE.to_owned(), generic] }
    })
}

/// Applies changes to a pack of definitions. Each group of four bytes is a change: a position after the header (modulo
/// the size of the file without its header), and the new byte. If the pack is not refused, modules are read, verified
/// and printed with it.
pub fn drrdl(bytes: &[u8]) {
    let Example { pack, texts } = example();
    let mut file = pack.clone();
    let size = file.len() - envelope::SIZE;
    for &[high, middle, low, new] in bytes.as_chunks::<4>().0 {
        let at = u32::from_be_bytes([0, high, middle, low]) as usize % size;
        file[envelope::SIZE + at] = new;
    }
    envelope::seal(&mut file);
    let Ok(pack) = DialectPack::from_bytes(file) else { return };
    let source: Arc<dyn DialectSource> = Arc::new(pack);
    for text in texts {
        let mut sources = SourceMap::default();
        let file = sources.add("fuzz.mlir", text.as_str()).expect("the text is short");
        let mut context = Context::new();
        context.set_dialects(source.clone());
        match ir::parse_module(&mut context, sources.file(file)) {
            Ok(module) => {
                let mut host = IrHost::new(context, module);
                let mut definitions = LoadedDefinitions::default();
                if definitions.update(&mut host, &Natives::new()).is_ok() {
                    let found = ir::verify_with(&host.context, &host.module, |op, errors| {
                        definitions.check(&host, op).into_iter().for_each(|wrong| errors.push(wrong));
                    });
                    if found.has_errors() {
                        show(&found, &sources);
                    }
                }
                let IrHost { mut context, module, .. } = host;
                let printed = module.print(&context, PrintOptions::new());
                assert!(!printed.is_empty());
                let file = sources.add("again.mlir", printed).expect("the text is short");
                // Changed formats may contradict each other, so the text may not read back, but reading must end.
                if let Err(errors) = ir::parse_module(&mut context, sources.file(file)) {
                    show(&errors, &sources);
                }
            }
            Err(errors) => show(&errors, &sources),
        }
    }
}
