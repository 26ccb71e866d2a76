#sparse = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed(nonordered,nonunique)), crdWidth = 32}>
#file = #llvm.di_file<"a.c" in "/">
module attributes { dlti.dl_spec = #dlti.dl_spec< #dlti.dl_entry<"k", 4 : i32>, index = 32> } {
  func.func private @f(tensor<2x2xf32, #sparse>, !quant.uniform<i8<-127:127>:f32, 2.0:3>)
  llvm.func @g(!llvm.struct<"s", packed (i32, !llvm.array<4 x f32>)>) attributes {x = #file}
  spirv.module Logical GLSL450 {
    spirv.GlobalVariable @v : !spirv.ptr<!spirv.struct<(!spirv.array<4xf32, stride=4>[0])>, Uniform>
  }
}
