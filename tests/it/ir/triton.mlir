#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @scale(%arg0: f32, %arg1: i32) -> (f32, i32) attributes {noinline = true} {
    tt.return %arg0, %arg1 : f32, i32
  }
  tt.func public @add(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32>, %arg2: i32, %arg3: !tt.ptr<i32, "constant">) attributes {noinline = false} {
    %cst = arith.constant dense<1.000000e+00> : tensor<128xf32, #blocked>
    %0 = tt.get_program_id x : i32
    %1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %2 = tt.splat %0 : i32 -> tensor<128xi32, #blocked>
    %3 = arith.addi %2, %1 : tensor<128xi32, #blocked>
    %4 = tt.splat %arg2 : i32 -> tensor<128xi32, #blocked>
    %5 = arith.cmpi slt, %3, %4 : tensor<128xi32, #blocked>
    %6 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %7 = tt.addptr %6, %3 : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %8 = tt.load %7, %5, %cst : tensor<128x!tt.ptr<f32>, #blocked>
    %9 = tt.load %7 {isVolatile = true} : tensor<128x!tt.ptr<f32>, #blocked>
    %10 = tt.load %arg3 : !tt.ptr<i32, "constant">
    %11 = arith.addf %8, %9 : tensor<128xf32, #blocked>
    tt.store %7, %11, %5 : tensor<128x!tt.ptr<f32>, #blocked>
    %12 = "tt.reduce"(%11) <{axis = 0 : i32}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      %14 = arith.addf %arg4, %arg5 : f32
      tt.reduce.return %14 : f32
    }) : (tensor<128xf32, #blocked>) -> f32
    %13:2 = tt.call @scale(%12, %10) : (f32, i32) -> (f32, i32)
    tt.store %arg1, %13#0 : !tt.ptr<f32>
    tt.return
  }
  tt.func @layouts(%arg0: tensor<64x16xf16, #blocked1>, %arg1: !tt.tensordesc<64x16xf16, #shared>, %arg2: !tt.tensordesc<64x16xf16>, %arg3: i32, %arg4: tensor<1xf32, #blocked>, %arg5: tensor<128xi32, #blocked>, %arg6: tensor<128x!tt.ptr<i32>, #blocked>, %arg7: i64) {
    %0 = tt.unsplat %arg4 : tensor<1xf32, #blocked>
    %1 = ttg.convert_layout %arg0 : tensor<64x16xf16, #blocked1> -> tensor<64x16xf16, #linear>
    %2 = ttg.convert_layout %arg0 : tensor<64x16xf16, #blocked1> -> tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %3 = tt.splat %0 : f32 -> tensor<16xf32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %4 = tt.descriptor_load %arg1[%arg3, %arg3] : !tt.tensordesc<64x16xf16, #shared> -> tensor<64x16xf16, #blocked1>
    %5 = tt.atomic_poll relaxed, gpu, %arg6, %arg5 timeout %arg7 : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked> -> tensor<128xi1, #blocked>
    %6 = ttg.local_alloc %arg0 : (tensor<64x16xf16, #blocked1>) -> !ttg.memdesc<64x16xf16, #shared1, #smem>
    %7 = ttg.local_alloc {alignment = 16 : i32} : () -> !ttg.memdesc<64x16xf16, #shared1, #smem, mutable>
    %8 = ttg.memdesc_subslice %7[32, 0] : !ttg.memdesc<64x16xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x16xf16, #shared1, #smem, mutable, 64x16>
    %9:2 = ttng.warp_group_dot_wait %1, %7 {pendings = 0 : i32} : tensor<64x16xf16, #linear>, !ttg.memdesc<64x16xf16, #shared1, #smem, mutable>
    %10 = ttg.async_wait {num = 0 : i32}
    ttg.barrier local
    ttg.barrier local|tensor_write
    ttg.barrier none
    ttg.barrier all
    tt.return
  }
  tt.func @partitions(%arg0: !ttg.memdesc<128x64xf16, #shared, #smem>, %arg1: !ttg.memdesc<64x128xf16, #shared, #smem>, %arg2: i1, %arg3: !ttg.memdesc<1xi64, #shared2, #smem, mutable>, %arg4: i32) {
    %result, %token = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %0 = ttng.tc_gen5_mma %arg0, %arg1, %result[%token], %arg2, %arg2 : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %1 = ttng.tc_gen5_mma %arg0, %arg1, %result[], %arg2, %arg2, %arg3[%arg2], %arg3[%arg2] {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable>
    ttng.tc_gen5_mma %arg0, %arg1, %result, %arg2, %arg2 : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %2:2 = ttg.warp_specialize(%arg4, %arg3) attributes {requestedRegisters = array<i32: 24, 24>}
    default {
      %3 = ub.poison : i32
      ttg.warp_yield %3, %arg2 : i32, i1
    }
    partition0(%arg5: i32, %arg6: !ttg.memdesc<1xi64, #shared2, #smem, mutable>) num_warps(4) {
      %3 = arith.addi %arg5, %arg5 : i32
      ttg.warp_return
    }
    partition1(%arg5: i32, %arg6: !ttg.memdesc<1xi64, #shared2, #smem, mutable>) num_warps(1) {
      cf.br ^bb1
    ^bb1:  // pred: ^bb0
      ttg.warp_return
    } : (i32, !ttg.memdesc<1xi64, #shared2, #smem, mutable>) -> (i32, i1)
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    tt.return
  }
  tt.func private @declared(!tt.ptr<f32> {tt.divisibility = 16 : i32}) -> i32
}
