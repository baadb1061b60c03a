// RUN: vortex-opt %s --target=x86-avx512 --vortex-insert-prefetches | FileCheck %s

// One line a step of the marked loop, none elsewhere.
// CHECK-LABEL: func.func @groups
// CHECK: scf.index_switch
// CHECK: scf.for
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<?x32xf32>
// CHECK-NEXT: vector.transfer_read
// CHECK-NOT: memref.prefetch
// CHECK-NOT: vortex.prefetch
func.func @groups(%panel: memref<?x32xf32>, %rows: index, %mr: index, %k: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %rows step %mr {
    scf.index_switch %mr
    case 1 {
      %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
        %v = vector.transfer_read %panel[%q, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<16xf32>
        %a = arith.addf %acc, %v : vector<16xf32>
        scf.yield %a : vector<16xf32>
      } {vortex.prefetch = 1 : i64}
      vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// Steps that LLVM repeats share an address: what is touched starts where the first of them is, a line further in each.
// CHECK-LABEL: func.func @repeated
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: %[[STEP:.*]] = arith.andi %[[Q]], %c3
// CHECK: %[[FIRST:.*]] = arith.andi %[[Q]], %c-4
// CHECK: %[[FAR:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
// CHECK: %[[BLOCK:.*]] = arith.addi %{{.*}}, %[[FAR]] : index
// CHECK: %[[LINE:.*]] = arith.muli %[[STEP]], %c16
// CHECK: %[[AT:.*]] = arith.addi %[[BLOCK]], %[[LINE]] : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[AT]]], read
func.func @repeated(%panel: memref<?x32xf32>, %rows: index, %mr: index, %k: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %rows step %mr {
    scf.index_switch %mr
    case 1 {
      %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
        %v = vector.transfer_read %panel[%q, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<16xf32>
        %a = arith.addf %acc, %v : vector<16xf32>
        scf.yield %a : vector<16xf32>
      } {vortex.prefetch = 1 : i64, loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>}
      vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// Rows of a matrix in place: the same row, where vectors of the tile to the right end. That is in the line that no tile has read yet, whether vectors start
// where lines do or not: those of 16 at column 32 and 48 end at 47 and 63.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[B:[a-z0-9]*]]: memref<?x?xf32, strided<[?, 1]>>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: %[[END:.*]] = arith.constant 63 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[C0]], %[[END]] : index
// CHECK: memref.prefetch %[[B]][%[[Q]], %[[NEXT]]], read, locality<2>, data
// CHECK-NEXT: vector.transfer_read %[[B]][%[[Q]], %[[C0]]]
// CHECK: %[[END:.*]] = arith.constant 63 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[C16]], %[[END]] : index
// CHECK: memref.prefetch %[[B]][%[[Q]], %[[NEXT]]], read, locality<2>, data
// CHECK-NEXT: vector.transfer_read %[[B]][%[[Q]], %[[C16]]]
func.func @in_place(%b: memref<?x?xf32, strided<[?, 1]>>, %rows: index, %mr: index, %k: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %rows step %mr {
    scf.index_switch %mr
    case 1 {
      %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
        %v = vector.transfer_read %b[%q, %c0], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<16xf32>
        %w = vector.transfer_read %b[%q, %c16], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<16xf32>
        %p = arith.mulf %v, %w : vector<16xf32>
        %a = arith.addf %acc, %p : vector<16xf32>
        scf.yield %a : vector<16xf32>
      } {vortex.prefetch = 1 : i64}
      vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// Vectors that are half a line long: one request for two, by the last element of the second, and one for what is left.
// CHECK-LABEL: func.func @half_lines
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: vector.transfer_read
// CHECK: %[[END:.*]] = arith.constant 47 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[C8]], %[[END]] : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[NEXT]]], read, locality<2>, data
// CHECK-NEXT: vector.transfer_read
// CHECK: %[[END:.*]] = arith.constant 47 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[C16]], %[[END]] : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[NEXT]]], read, locality<2>, data
// CHECK-NEXT: vector.transfer_read
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @half_lines(%b: memref<?x?xf32, strided<[?, 1]>>, %rows: index, %mr: index, %k: index, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %rows step %mr {
    scf.index_switch %mr
    case 1 {
      %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<8xf32> {
        %v = vector.transfer_read %b[%q, %c0], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<8xf32>
        %w = vector.transfer_read %b[%q, %c8], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<8xf32>
        %u = vector.transfer_read %b[%q, %c16], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<8xf32>
        %p = arith.mulf %v, %w : vector<8xf32>
        %t = arith.mulf %p, %u : vector<8xf32>
        %a = arith.addf %acc, %t : vector<8xf32>
        scf.yield %a : vector<8xf32>
      } {vortex.prefetch = 1 : i64}
      vector.store %s, %out[%c0] : memref<8xf32>, vector<8xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// Of pieces of one line the next one is touched; of longer ones, above, what lies a line behind it.
// CHECK-LABEL: func.func @one_line
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.constant 23 : index
// CHECK: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @one_line(%b: memref<?x?xf32, strided<[?, 1]>>, %rows: index, %mr: index, %k: index, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %rows step %mr {
    scf.index_switch %mr
    case 1 {
      %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<8xf32> {
        %v = vector.transfer_read %b[%q, %c0], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<8xf32>
        %w = vector.transfer_read %b[%q, %c8], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1]>>, vector<8xf32>
        %p = arith.mulf %v, %w : vector<8xf32>
        %a = arith.addf %acc, %p : vector<8xf32>
        scf.yield %a : vector<8xf32>
      } {vortex.prefetch = 1 : i64}
      vector.store %s, %out[%c0] : memref<8xf32>, vector<8xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// The lines that a tile stores into are taken before its reduction runs; not
// where the address is computed afterwards.
// CHECK-LABEL: func.func @result
// CHECK: memref.prefetch %[[O:.*]][%[[C0:.*]], %{{.*}}], write, locality<3>, data : memref<?x?xf32>
// CHECK-NOT: memref.prefetch
// CHECK: scf.for
// CHECK-NOT: vortex.prefetch_result
// CHECK: vector.transfer_write %{{.*}}, %[[O]]
func.func @result(%o: memref<?x?xf32>, %late: memref<index>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
    %a = arith.addf %acc, %acc : vector<16xf32>
    scf.yield %a : vector<16xf32>
  } {vortex.prefetch_result}
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
  %row = memref.load %late[] : memref<index>
  vector.transfer_write %s, %o[%row, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
  return
}

// A tile that is written whole or in part: the lines of the whole one, unless there are few steps.
// CHECK-LABEL: func.func @whole_or_part
// CHECK-SAME: %[[O:[a-z0-9]*]]: memref<?x?xf32>, %[[K:[a-z0-9]*]]: index
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[K]], %c16{{.*}} : index
// CHECK-NEXT: scf.if %[[MANY]] {
// CHECK-NEXT: memref.prefetch %[[O]][%c0, %c0], write, locality<3>, data
// CHECK-NEXT: memref.prefetch %[[O]][%c0, %c16], write, locality<3>, data
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @whole_or_part(%o: memref<?x?xf32>, %k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %q = %c0 to %k step %c1 iter_args(%acc = %z) -> vector<16xf32> {
    %a = arith.addf %acc, %acc : vector<16xf32>
    scf.yield %a : vector<16xf32>
  } {vortex.prefetch_result}
  %whole = arith.cmpi uge, %n, %c32 : index
  scf.if %whole {
    vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
    vector.transfer_write %s, %o[%c0, %c16] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
  } else {
    vector.transfer_write %s, %o[%c0, %c8] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
  }
  return
}

// A loop that counts otherwise does not tell.
// CHECK-LABEL: func.func @counts_words
// CHECK-NOT: scf.if
// CHECK: memref.prefetch
// CHECK: scf.for
func.func @counts_words(%o: memref<?x?xf32>, %from: i32, %k: i32, %one: i32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %q = %from to %k step %one iter_args(%acc = %z) -> vector<16xf32> : i32 {
    %a = arith.addf %acc, %acc : vector<16xf32>
    scf.yield %a : vector<16xf32>
  } {vortex.prefetch_result}
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
  return
}

// A block of the reduction reads part of a panel; the same part of the next
// panel is a whole panel away.
// CHECK-LABEL: func.func @part
// CHECK-SAME: %[[PANELS:.*]]: memref<?x?x32xf32>
// CHECK: %[[PART:.*]] = memref.subview %[[PANELS]]
// CHECK: %[[K:.*]] = memref.dim %[[PANELS]], %c1
// CHECK: %[[NEXT:.*]] = arith.muli %[[K]], %c32
// CHECK: %[[START:.*]] = arith.addi %[[NEXT]]
// CHECK: arith.addi %[[START]]
// CHECK: memref.prefetch %[[PART]]
func.func @part(%panels: memref<?x?x32xf32>, %j: index, %k0: index, %kc: index, %rows: index, %mr: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %rows step %mr {
    scf.index_switch %mr
    case 1 {
      %part = memref.subview %panels[%j, %k0, 0] [1, %kc, 32] [1, 1, 1] : memref<?x?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
      %s = scf.for %q = %c0 to %kc step %c1 iter_args(%acc = %z) -> vector<16xf32> {
        %v = vector.transfer_read %part[%q, %c0], %zero {in_bounds = [true]} : memref<?x32xf32, strided<[32, 1], offset: ?>>, vector<16xf32>
        %a = arith.addf %acc, %v : vector<16xf32>
        scf.yield %a : vector<16xf32>
      } {vortex.prefetch = 1 : i64}
      vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
      scf.yield
    }
    default {
    }
  }
  return
}

// What the body reads, four trips before, also where its index is computed.
// CHECK-LABEL: func.func @ahead
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: %[[LATER:.*]] = arith.addi %[[Q]], %[[C64]] : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[LATER]]], read, locality<3>, data
// CHECK-NEXT: vector.transfer_read %{{.*}}[%{{.*}}, %[[Q]]]
// CHECK: %[[TWICE:.*]] = arith.muli %[[LATER]], %{{.*}} : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[TWICE]]], read, locality<3>, data
// CHECK-NOT: vortex.prefetch
func.func @ahead(%x: memref<?x?xf32>, %k: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %q = %c0 to %k step %c16 {
    %v = vector.transfer_read %x[%c0, %q], %zero {in_bounds = [true]} : memref<?x?xf32>, vector<16xf32>
    %twice = arith.muli %q, %c2 : index
    %w = vector.transfer_read %x[%c1, %twice], %zero {in_bounds = [true]} : memref<?x?xf32>, vector<16xf32>
    %s = arith.addf %v, %w : vector<16xf32>
    vector.store %s, %out[%c0] : memref<16xf32>, vector<16xf32>
  } {vortex.prefetch_ahead = 4 : i64}
  return
}

// What a branch reads is touched there: its indices are computed again in front of the branch or in it.
// CHECK-LABEL: func.func @ahead_in_branch
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: %[[LATER:.*]] = arith.addi %[[Q]], %{{.*}} : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[LATER]]]
// CHECK: scf.if
// CHECK: %[[TWICE:.*]] = arith.muli %[[LATER]], %{{.*}} : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[TWICE]]]
// CHECK: } else {
// CHECK: %[[AGAIN:.*]] = arith.muli %[[LATER]], %{{.*}} : index
// CHECK: memref.prefetch %{{.*}}[%{{.*}}, %[[AGAIN]]]
// CHECK-NOT: vortex.prefetch
func.func @ahead_in_branch(%x: memref<?x?xf32>, %k: index, %more: i1, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %q = %c0 to %k step %c16 {
    %v = vector.transfer_read %x[%c0, %q], %zero {in_bounds = [true]} : memref<?x?xf32>, vector<16xf32>
    vector.store %v, %out[%c0] : memref<16xf32>, vector<16xf32>
    %twice = arith.muli %q, %c2 : index
    scf.if %more {
      %w = vector.transfer_read %x[%c1, %twice], %zero {in_bounds = [true]} : memref<?x?xf32>, vector<16xf32>
      vector.store %w, %out[%c0] : memref<16xf32>, vector<16xf32>
    } else {
      %w = vector.transfer_read %x[%c2, %twice], %zero {in_bounds = [true]} : memref<?x?xf32>, vector<16xf32>
      vector.store %w, %out[%c0] : memref<16xf32>, vector<16xf32>
    }
  } {vortex.prefetch_ahead = 4 : i64}
  return
}

// The same columns of the next row, one for each line, where a row has a quarter of L1: of the loop that goes from row to row, not of that around it, nor of
// what all rows read.
// CHECK-LABEL: func.func @next_row
// CHECK: scf.for %[[BATCH:[^ ]*]] =
// CHECK: scf.for %[[ROW:[^ ]*]] =
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c1 : index
// CHECK: %[[ROWS:.*]] = memref.subview %{{.*}}[%[[BATCH]], %[[NEXT]], 0]
// CHECK: %[[LEAST:.*]] = arith.constant 2048 : index
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %arg4, %[[LEAST]] : index
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: scf.if %[[LONG]] {
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[Q]], %c0
// CHECK-NEXT: memref.prefetch %[[ROWS]][%{{.*}}, %{{.*}}, %[[AT]]], read, locality<3>, data
// CHECK-NEXT: }
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-3: vector.transfer_read
// CHECK-NOT: vortex.prefetch
func.func @next_row(%x: memref<?x?x?xf32>, %scale: memref<?xf32>, %b: index, %m: index, %n: index, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %batch = %c0 to %b step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %row = memref.subview %x[%batch, %i, 0] [1, 1, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>
      scf.for %q = %c0 to %n step %c16 {
        %v = vector.transfer_read %row[%c0, %c0, %q], %zero {in_bounds = [true]} : memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>, vector<8xf32>
        %second = arith.addi %q, %c8 : index
        %w = vector.transfer_read %row[%c0, %c0, %second], %zero {in_bounds = [true]} : memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>, vector<8xf32>
        %f = vector.transfer_read %scale[%q], %zero {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
        %s = arith.addf %v, %w : vector<8xf32>
        %t = arith.mulf %s, %f : vector<8xf32>
        vector.store %t, %out[%c0] : memref<8xf32>, vector<8xf32>
      } {vortex.prefetch_row}
    }
  }
  return
}

// No row of which the loop itself says where it begins, none at a place that memory has, nor where the loop says which of several rows is read.
// CHECK-LABEL: func.func @no_next_row
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @no_next_row(%x: memref<?x?xf32>, %at: memref<?xindex>, %m: index, %n: index, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %q = %c0 to %n step %c8 {
      %begin = arith.addi %i, %q : index
      %row = memref.subview %x[%begin, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
      %v = vector.transfer_read %row[%c0, %q], %zero {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      vector.store %v, %out[%c0] : memref<8xf32>, vector<8xf32>
    } {vortex.prefetch_row}
    %picked = memref.load %at[%i] : memref<?xindex>
    %row = memref.subview %x[%picked, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c8 {
      %v = vector.transfer_read %row[%c0, %q], %zero {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      vector.store %v, %out[%c0] : memref<8xf32>, vector<8xf32>
    } {vortex.prefetch_row}
    %rows = memref.subview %x[%i, 0] [%m, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c8 {
      %which = arith.remui %q, %m : index
      %v = vector.transfer_read %rows[%which, %q], %zero {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      vector.store %v, %out[%c0] : memref<8xf32>, vector<8xf32>
    } {vortex.prefetch_row}
  }
  return
}
