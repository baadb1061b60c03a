// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx2 --vortex-split-masked-transfers | FileCheck %s
// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx512 --vortex-split-masked-transfers | FileCheck %s --check-prefix=MASKS
// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx2,x86-avx512 --vortex-split-masked-transfers | FileCheck %s --check-prefix=MASKS
// RUN: vortex-opt %s --vortex-split-masked-transfers | FileCheck %s --check-prefix=MASKS

// MASKS-NOT: scf.if

// Rows of a tile share the branches.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[M:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>
// CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %[[N]], %c4
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NEXT: vector.store %[[A]], %[[M]][%c0, %c3] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT: vector.store %[[B]], %[[M]][%c1, %c3] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT: } else {
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[TWO:.*]] = arith.andi %[[COUNT]], %c2
// CHECK: %[[HAS_TWO:.*]] = arith.cmpi ne, %[[TWO]], %c0
// CHECK: %[[REST:.*]]:2 = scf.if %[[HAS_TWO]] -> (vector<2xf32>, vector<2xf32>) {
// CHECK: %[[LOW_A:.*]] = vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [2]
// CHECK: %[[LOW_B:.*]] = vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [2]
// CHECK: vector.store %[[LOW_A]], %[[M]][%c0, %c3] : memref<?x?xf32>, vector<2xf32>
// CHECK: vector.store %[[LOW_B]], %[[M]][%c1, %c3] : memref<?x?xf32>, vector<2xf32>
// CHECK: vector.extract_strided_slice %[[A]] {offsets = [2], sizes = [2]
// CHECK: vector.extract_strided_slice %[[B]] {offsets = [2], sizes = [2]
// CHECK: } else {
// CHECK: vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [2]
// CHECK: vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [2]
// CHECK: %[[AT:.*]] = arith.andi %[[COUNT]], %c-2
// CHECK: %[[ONE:.*]] = arith.andi %[[COUNT]], %c1
// CHECK: %[[HAS_ONE:.*]] = arith.cmpi ne, %[[ONE]], %c0
// CHECK: scf.if %[[HAS_ONE]] {
// CHECK: %[[LAST_A:.*]] = vector.extract_strided_slice %[[REST]]#0 {offsets = [0], sizes = [1]
// CHECK: %[[LAST_B:.*]] = vector.extract_strided_slice %[[REST]]#1 {offsets = [0], sizes = [1]
// CHECK: %[[TO:.*]] = arith.addi %c3, %[[AT]]
// CHECK: vector.store %[[LAST_A]], %[[M]][%c0, %[[TO]]] : memref<?x?xf32>, vector<1xf32>
// CHECK: vector.store %[[LAST_B]], %[[M]][%c1, %{{.*}}] : memref<?x?xf32>, vector<1xf32>
// CHECK-NOT: vector.transfer_write
func.func @rows(%m: memref<?x?xf32>, %n: index, %a: vector<4xf32>, %b: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %mask = vector.create_mask %n : vector<4xi1>
  vector.transfer_write %a, %m[%c0, %c3], %mask {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  vector.transfer_write %b, %m[%c1, %c3], %mask {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  return
}

// Rows a constant from each other, too; a row and another of unknown distance may be the same.
// CHECK-LABEL: func.func @next_rows(
// CHECK: scf.if
// CHECK-NEXT: vector.store %{{.*}}[%{{.*}}, %c0]
// CHECK-NEXT: vector.store %{{.*}}[%{{.*}}, %c0]
// CHECK-LABEL: func.func @any_rows(
// CHECK: scf.if
// CHECK-NEXT: vector.store %{{.*}}[%{{.*}}, %c0]
// CHECK-NEXT: } else {
func.func @next_rows(%m: memref<?x?xf32>, %n: index, %row: index, %a: vector<2xf32>, %b: vector<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %row, %c1 : index
  %mask = vector.create_mask %n : vector<2xi1>
  vector.transfer_write %a, %m[%row, %c0], %mask {in_bounds = [true]} : vector<2xf32>, memref<?x?xf32>
  vector.transfer_write %b, %m[%next, %c0], %mask {in_bounds = [true]} : vector<2xf32>, memref<?x?xf32>
  return
}
func.func @any_rows(%m: memref<?x?xf32>, %n: index, %row: index, %other: index, %a: vector<2xf32>, %b: vector<2xf32>) {
  %c0 = arith.constant 0 : index
  %next = arith.addi %row, %other : index
  %mask = vector.create_mask %n : vector<2xi1>
  vector.transfer_write %a, %m[%row, %c0], %mask {in_bounds = [true]} : vector<2xf32>, memref<?x?xf32>
  vector.transfer_write %b, %m[%next, %c0], %mask {in_bounds = [true]} : vector<2xf32>, memref<?x?xf32>
  return
}

// A load between two stores keeps its place.
// CHECK-LABEL: func.func @between(
// CHECK: scf.if
// CHECK: memref.load
// CHECK: scf.if
// CHECK-NOT: vector.transfer_write
func.func @between(%m: memref<?xf32>, %n: index, %a: vector<2xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %mask = vector.create_mask %n : vector<2xi1>
  vector.transfer_write %a, %m[%c0], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  %x = memref.load %m[%c0] : memref<?xf32>
  vector.transfer_write %a, %m[%c2], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  return %x : f32
}

// Stores that may overlap keep their order: each is taken apart by itself.
// CHECK-LABEL: func.func @overlap(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[N:[a-z0-9]+]]: index, %{{.*}}: index, %[[A:.*]]: vector<2xf32>, %[[B:.*]]: vector<2xf32>
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: } else {
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[B]]
// CHECK-NEXT: } else {
func.func @overlap(%m: memref<?xf32>, %n: index, %at: index, %a: vector<2xf32>, %b: vector<2xf32>) {
  %c1 = arith.constant 1 : index
  %next = arith.addi %at, %c1 : index
  %mask = vector.create_mask %n : vector<2xi1>
  vector.transfer_write %a, %m[%at], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  vector.transfer_write %b, %m[%next], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  return
}

// Rows of at most as many elements as they lie apart do not overlap: of the first two elements of each, and of the rest.
// CHECK-LABEL: func.func @rows_apart(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %{{.*}}: index, %{{.*}}: index, %[[A:.*]]: vector<2xf32>, %[[B:.*]]: vector<2xf32>
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: vector.store %[[B]]
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: } else {
// CHECK: memref.load
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: vector.store %[[B]]
// CHECK-NEXT: } else {
func.func @rows_apart(%m: memref<?xf32>, %at: index, %apart: index, %a: vector<2xf32>, %b: vector<2xf32>) -> f32 {
  %c2 = arith.constant 2 : index
  %count = arith.minui %apart, %c2 : index
  %mask = vector.create_mask %count : vector<2xi1>
  %next = arith.addi %at, %apart : index
  %last = arith.addi %next, %apart : index
  vector.transfer_write %a, %m[%at], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  vector.transfer_write %b, %m[%next], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  vector.transfer_write %a, %m[%last], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  %x = memref.load %m[%at] : memref<?xf32>
  %at_least = arith.maxui %apart, %c2 : index
  %rest = arith.subi %at_least, %c2 : index
  %few = arith.minui %rest, %c2 : index
  %second = vector.create_mask %few : vector<2xi1>
  %behind = arith.addi %at, %c2 : index
  %next_behind = arith.addi %behind, %apart : index
  vector.transfer_write %a, %m[%behind], %second {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  vector.transfer_write %b, %m[%next_behind], %second {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  return %x : f32
}

// What is known of other counts than those that rows lie apart says nothing: of the second vector, of rows that begin elsewhere.
// CHECK-LABEL: func.func @rows_of_others(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %{{.*}}: index, %{{.*}}: index, %[[A:.*]]: vector<2xf32>, %[[B:.*]]: vector<2xf32>
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: } else {
// CHECK: memref.load
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: } else {
func.func @rows_of_others(%m: memref<?xf32>, %at: index, %apart: index, %a: vector<2xf32>, %b: vector<2xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %at_least = arith.maxui %apart, %c2 : index
  %rest = arith.subi %at_least, %c1 : index
  %mask = vector.create_mask %rest : vector<2xi1>
  %next = arith.addi %at, %apart : index
  vector.transfer_write %a, %m[%at], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  vector.transfer_write %b, %m[%next], %mask {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  %x = memref.load %m[%at] : memref<?xf32>
  %count = arith.minui %apart, %c2 : index
  %few = vector.create_mask %count : vector<2xi1>
  %further = arith.addi %at, %c1 : index
  %last = arith.addi %further, %apart : index
  vector.transfer_write %a, %m[%at], %few {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  vector.transfer_write %b, %m[%last], %few {in_bounds = [true]} : vector<2xf32>, memref<?xf32>
  return %x : f32
}

// Rows of groups of two elements; a whole store between them that overlaps none.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[M:.*]]: memref<?x?xf32>, %{{.*}}: index, %{{.*}}: index, %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: vector.store %[[B]]
// CHECK-NEXT: } else {
// CHECK: memref.load
// CHECK: vector.transfer_write %[[A]], %[[M]][%c1, %c0]
// CHECK: scf.if
// CHECK-NEXT: vector.store %[[A]]
// CHECK-NEXT: vector.store %[[B]]
// CHECK-NEXT: } else {
func.func @groups(%m: memref<?x?xf32>, %at: index, %apart: index, %a: vector<4xf32>, %b: vector<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %groups = arith.minui %apart, %c2 : index
  %count = arith.muli %groups, %c2 : index
  %elements = arith.muli %apart, %c2 : index
  %mask = vector.create_mask %count : vector<4xi1>
  %next = arith.addi %at, %elements : index
  vector.transfer_write %a, %m[%c0, %at], %mask {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  vector.transfer_write %b, %m[%c0, %next], %mask {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  %x = memref.load %m[%c0, %at] : memref<?x?xf32>
  vector.transfer_write %a, %m[%c0, %c4], %mask {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  vector.transfer_write %a, %m[%c1, %c0] {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  vector.transfer_write %b, %m[%c1, %c4], %mask {in_bounds = [true]} : vector<4xf32>, memref<?x?xf32>
  return %x : f32
}

// What is not the first lanes of a row stays.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.if
// CHECK-COUNT-4: vector.transfer_write
// CHECK-NOT: scf.if
func.func @others(%m: memref<?xf32>, %s: memref<?xf32, strided<[?], offset: ?>>, %n: index, %mask: vector<4xi1>, %a: vector<4xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %first = vector.create_mask %n : vector<4xi1>
  vector.transfer_write %a, %m[%c0], %mask {in_bounds = [true]} : vector<4xf32>, memref<?xf32>
  vector.transfer_write %a, %m[%c0] {in_bounds = [true]} : vector<4xf32>, memref<?xf32>
  vector.transfer_write %a, %s[%c0], %first {in_bounds = [true]} : vector<4xf32>, memref<?xf32, strided<[?], offset: ?>>
  %0 = vector.transfer_write %a, %t[%c0], %first {in_bounds = [true]} : vector<4xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The last lanes are loaded first. Elements of 32 bits have an instruction.
// CHECK-LABEL: func.func @read(
// CHECK-SAME: %[[M:.*]]: memref<?xbf16>, %[[F:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[PAD:.*]]: bf16
// CHECK: %[[WHOLE:.*]] = arith.cmpi sge, %[[N]], %c4
// CHECK: scf.if %[[WHOLE]] -> (vector<4xbf16>) {
// CHECK: vector.load %[[M]][%c3] : memref<?xbf16>, vector<4xbf16>
// CHECK: } else {
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[NONE:.*]] = vector.broadcast %[[PAD]] : bf16 to vector<1xbf16>
// CHECK: arith.andi %[[COUNT]], %c1
// CHECK: %[[LAST:.*]] = scf.if {{.*}} -> (vector<2xbf16>) {
// CHECK: %[[LOW:.*]] = arith.andi %[[COUNT]], %c-2
// CHECK: %[[AT:.*]] = arith.addi %c3, %[[LOW]]
// CHECK: %[[ONE:.*]] = vector.load %[[M]][%[[AT]]] : memref<?xbf16>, vector<1xbf16>
// CHECK: vector.shuffle %[[ONE]], %[[NONE]] [0, 1]
// CHECK: } else {
// CHECK: vector.shuffle %[[NONE]], %{{.*}} [0, 1]
// CHECK: arith.andi %[[COUNT]], %c2
// CHECK: scf.if {{.*}} -> (vector<4xbf16>) {
// CHECK: %[[LOW:.*]] = arith.andi %[[COUNT]], %c-4
// CHECK: %[[AT:.*]] = arith.addi %c3, %[[LOW]]
// CHECK: %[[TWO:.*]] = vector.load %[[M]][%[[AT]]] : memref<?xbf16>, vector<2xbf16>
// CHECK: vector.shuffle %[[TWO]], %[[LAST]] [0, 1, 2, 3]
// CHECK: } else {
// CHECK: %[[PADS:.*]] = vector.broadcast %[[PAD]] : bf16 to vector<2xbf16>
// CHECK: vector.shuffle %[[LAST]], %[[PADS]] [0, 1, 2, 3]
// CHECK: vector.transfer_read %[[F]]
func.func @read(%m: memref<?xbf16>, %f: memref<?xf32>, %n: index, %pad: bf16, %pad32: f32) -> (vector<4xbf16>, vector<4xf32>) {
  %c3 = arith.constant 3 : index
  %mask = vector.create_mask %n : vector<4xi1>
  %0 = vector.transfer_read %m[%c3], %pad, %mask {in_bounds = [true]} : memref<?xbf16>, vector<4xbf16>
  %1 = vector.transfer_read %f[%c3], %pad32, %mask {in_bounds = [true]} : memref<?xf32>, vector<4xf32>
  return %0, %1 : vector<4xbf16>, vector<4xf32>
}
