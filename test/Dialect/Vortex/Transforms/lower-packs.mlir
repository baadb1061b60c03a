// RUN: vortex-opt %s --vortex-lower-packs --canonicalize --cse | FileCheck %s
// RUN: vortex-opt %s --vortex-attach-target=target=x86-avx2 --vortex-lower-packs --canonicalize --cse | FileCheck %s --check-prefix=NARROW

// Panels are copied row by row: two vectors, no mask on the write. As many rows at once as the description says are read as fast as
// one (four without one) go through all panels, then each row that is left.
// CHECK-LABEL: func.func @panels
// CHECK-NOT: linalg.pack
// CHECK: %[[FOURS:.*]] = arith.divui %[[ROWS:.*]], %c4
// CHECK: %[[WHOLE:.*]] = arith.muli %[[FOURS]], %c4
// CHECK: scf.for %[[Q:.*]] = %c0 to %[[WHOLE]] step %c4
// CHECK: scf.for %[[P:.*]] = %c0 to %{{.*}} step %c1
// CHECK: vector.transfer_read %{{.*}}[%[[Q]], %{{.*}}]
// CHECK: vector.transfer_write {{.*}}[%[[P]], %[[Q]], %c0] {{.*}} : vector<16xf32>, tensor<?x?x32xf32>
// CHECK-COUNT-7: vector.transfer_write {{.*}} : vector<16xf32>, tensor<?x?x32xf32>
// CHECK-NOT: vector.transfer_write
// CHECK: scf.for %[[Q:.*]] = %[[WHOLE]] to %[[ROWS]] step %c1
// CHECK: scf.for %[[P:.*]] = %c0 to %{{.*}} step %c1
// CHECK-COUNT-2: vector.transfer_write {{.*}}[%[[P]], %[[Q]], %{{.*}}] {{.*}} : vector<16xf32>, tensor<?x?x32xf32>
// CHECK-NOT: vector.transfer_write
// CHECK-NOT: vector.shuffle
// NARROW-LABEL: func.func @panels
// NARROW: scf.for %{{.*}} = %c0 to %{{.*}} step %c8
// NARROW: scf.for
// NARROW-COUNT-32: vector.transfer_write {{.*}} : vector<8xf32>, tensor<?x?x32xf32>
// NARROW-NOT: vector.transfer_write
// NARROW: scf.for
func.func @panels(%b: tensor<?x?xf32>, %d: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %d
      : tensor<?x?xf32> -> tensor<?x?x32xf32>
  return %p : tensor<?x?x32xf32>
}

// Row groups are transposed in registers: 16 rows, four steps of 16 shuffles. A group may have any number of rows.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[MR:[a-z0-9]*]]: index
// CHECK-NOT: linalg.pack
// CHECK: scf.for %{{.*}} = %c0 to %[[MR]] step %c16
// CHECK-COUNT-16: vector.transfer_read
// CHECK-COUNT-64: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.transfer_write
func.func @groups(%a: tensor<?x?xf32>, %d: tensor<?x?x?xf32>, %mr: index) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %a padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [%mr] into %d
      : tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}

// A filter with its taps innermost is laid out by taps and channels: squares of channels of the result and taps, the channels of the image around them.
// CHECK-LABEL: func.func @taps
// CHECK-NOT: linalg.pack
// CHECK: scf.for %[[F:.*]] = %c0 to %{{.*}} step %c1
// CHECK: scf.for %[[Y:.*]] = %c0 to %c3 step %c1
// CHECK: scf.for %[[C:.*]] = %c0 to %{{.*}} step %c1
// CHECK: scf.for %[[X:.*]] = %c0 to %{{.*}} step %c16
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %[[C]], %[[Y]], %[[X]]]
// CHECK-COUNT-64: vector.shuffle
// CHECK: vector.transfer_write %{{.*}}[%[[F]], %[[Y]], %[[X]], %[[C]], %c0]
func.func @taps(%f: tensor<?x?x3x?xf32>, %d: tensor<?x3x?x?x32xf32>) -> tensor<?x3x?x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %f padding_value(%zero : f32) outer_dims_perm = [0, 2, 3, 1] inner_dims_pos = [0] inner_tiles = [32] into %d
      : tensor<?x?x3x?xf32> -> tensor<?x3x?x?x32xf32>
  return %p : tensor<?x3x?x?x32xf32>
}

// Panels narrower than a vector of bytes are copied in shorter vectors.
// CHECK-LABEL: func.func @narrow_panels
// CHECK-NOT: linalg.pack
// CHECK: vector.transfer_write {{.*}} : vector<8xi8>, tensor<?x?x8xi8>
func.func @narrow_panels(%b: tensor<?x?xi8>, %d: tensor<?x?x8xi8>) -> tensor<?x?x8xi8> {
  %zero = arith.constant 0 : i8
  %p = linalg.pack %b padding_value(%zero : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [8] into %d
      : tensor<?x?xi8> -> tensor<?x?x8xi8>
  return %p : tensor<?x?x8xi8>
}

// A group of fixed height is written whole, zeros where there are no rows.
// CHECK-LABEL: func.func @padded_groups
// CHECK: vector.shuffle
// CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %c16, %c0
// CHECK-NEXT: %[[MASK:.*]] = vector.create_mask %[[COUNT]]
// CHECK: vector.transfer_write {{.*}}, %[[MASK]] {{.*}} tensor<?x?x16xf32>
func.func @padded_groups(%a: tensor<?x?xf32>, %d: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %a padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16] into %d
      : tensor<?x?xf32> -> tensor<?x?x16xf32>
  return %p : tensor<?x?x16xf32>
}

// Padding that is not zero, to the bit, is not for this pass.
// CHECK-LABEL: func.func @negative_zero
// CHECK: linalg.pack
func.func @negative_zero(%b: tensor<?x?xf32>, %d: tensor<?x?x32xf32>) -> tensor<?x?x32xf32> {
  %zero = arith.constant -0.0 : f32
  %p = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %d
      : tensor<?x?xf32> -> tensor<?x?x32xf32>
  return %p : tensor<?x?x32xf32>
}

// Four rows of a panel lie element by element beside each other; what is past the last row is zero.
// CHECK-LABEL: func.func @grouped_panels
// CHECK-NOT: linalg.pack
// CHECK-COUNT-4: vector.transfer_read {{.*}} tensor<?x?xi8>, vector<16xi8>
// CHECK-COUNT-3: vector.interleave
// CHECK: vector.transfer_write {{.*}} : vector<64xi8>, tensor<?x?x128xi8>
func.func @grouped_panels(%b: tensor<?x?xi8>, %d: tensor<?x?x32x4xi8>) -> tensor<?x?x32x4xi8> {
  %zero = arith.constant 0 : i8
  %p = linalg.pack %b padding_value(%zero : i8) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4] into %d
      : tensor<?x?xi8> -> tensor<?x?x32x4xi8>
  return %p : tensor<?x?x32x4xi8>
}

// Groups that lie together in memory are transposed as words.
// CHECK-LABEL: func.func @grouped_rows
// CHECK-NOT: linalg.pack
// CHECK-COUNT-16: vector.bitcast {{.*}} : vector<32xbf16> to vector<16xi32>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK: vector.transfer_write {{.*}} : vector<32xbf16>
func.func @grouped_rows(%b: tensor<?x?xbf16>, %d: tensor<?x?x32x2xbf16>) -> tensor<?x?x32x2xbf16> {
  %zero = arith.constant 0.0 : bf16
  %p = linalg.pack %b padding_value(%zero : bf16) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 2] into %d
      : tensor<?x?xbf16> -> tensor<?x?x32x2xbf16>
  return %p : tensor<?x?x32x2xbf16>
}

// Columns one behind the other, no tiles: four of them at a time, of each of 16 rows a piece that goes to its place. The last square ends
// where the rows do; fewer than 16 rows are one under a mask. Columns that are not there are stored under a mask of none, to memory that
// is there (that of the first), or, without registers for masks, not at all. One column alone is copied.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: linalg.pack
// CHECK: %[[ALONE:.*]] = arith.cmpi eq, %{{.*}}, %c1 : index
// CHECK: scf.if %[[ALONE]]
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>) permutation = [1, 0]
// CHECK: } else {
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS:.*]], %c16
// CHECK: scf.for %[[COLUMN:.*]] = %c0 to %{{.*}} step %c4
// CHECK: %[[LEFT:.*]] = arith.minui %{{.*}}, %c4
// CHECK: scf.for %[[ROW:.*]] = %c0 to %{{.*}} step %c16
// CHECK: arith.minui %[[ROW]], %[[LAST]]
// CHECK: %[[SOME:.*]] = vector.create_mask %[[LEFT]] : vector<4xi1>
// CHECK-COUNT-16: vector.transfer_read %{{.*}}, %{{.*}}, %[[SOME]] {in_bounds = [true]} : tensor<?x?xf32>, vector<4xf32>
// CHECK-COUNT-8: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK: vector.shuffle %{{.*}} [0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30] : vector<16xf32>, vector<16xf32>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<16xf32>, tensor<?x?xf32>
// CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %c16, %c0
// CHECK: %[[PLACE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[COLUMN]] : index
// CHECK: %[[NONE:.*]] = vector.create_mask %[[COUNT]] : vector<16xi1>
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%[[PLACE]], %{{.*}}], %[[NONE]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c16
// CHECK: %[[HERE:.*]] = vector.create_mask %[[ROWS]] : vector<16xi1>
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[HERE]]
// NARROW-LABEL: func.func @columns
// NARROW-COUNT-8: vector.transfer_read {{.*}} vector<4xf32>
// NARROW: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<8xf32>, tensor<?x?xf32>
// NARROW: %[[THERE:.*]] = arith.cmpi
// NARROW: scf.if %[[THERE]]
// NARROW-NEXT: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<8xf32>, tensor<?x?xf32>
func.func @columns(%b: tensor<?x?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [] inner_tiles = [] into %d : tensor<?x?xf32> -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// Two loops may lie in front of them, and the columns need not come first.
// CHECK-LABEL: func.func @columns_of_batches
// CHECK-NOT: linalg.pack
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.transfer_read {{.*}} : tensor<?x?x?xf64>, vector<4xf64>
// CHECK: vector.transfer_write {{.*}} : vector<8xf64>, tensor<?x?x?xf64>
func.func @columns_of_batches(%b: tensor<?x?x?xf64>, %d: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %p = linalg.pack %b outer_dims_perm = [0, 2, 1] inner_dims_pos = [] inner_tiles = [] into %d : tensor<?x?x?xf64> -> tensor<?x?x?xf64>
  return %p : tensor<?x?x?xf64>
}

// Elements of 16 bits stay a transposition.
// CHECK-LABEL: func.func @short_columns
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x?xbf16>) outs(%{{.*}} : tensor<?x?xbf16>) permutation = [1, 0]
func.func @short_columns(%b: tensor<?x?xbf16>, %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %p = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [] inner_tiles = [] into %d : tensor<?x?xbf16> -> tensor<?x?xbf16>
  return %p : tensor<?x?xbf16>
}

// Rows one behind the other: squares that have all columns are read and written without masks, the last one reads as many columns as there are.
// What is written beyond a column's rows is where the next ones go; behind the last there is room for a square.
// CHECK-LABEL: func.func @tight_groups
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32>, %[[D:.*]]: tensor<?x?x?xf32>, %[[MR:.*]]: index
// CHECK: %[[ROOM:.*]] = arith.addi %{{.*}}, %c256
// CHECK: tensor.empty(%[[ROOM]]) : tensor<?xf32>
// CHECK: %[[WHOLE:.*]] = arith.muli %{{.*}}, %c16
// CHECK: scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c16
// CHECK-NOT: vector.create_mask
// CHECK: %[[ROWS:.*]] = arith.minui %{{.*}}, %[[MR]]
// CHECK: vector.transfer_write %{{.*}}[%[[FIRST:.*]]] {in_bounds = [true]} : vector<16xf32>, tensor<?xf32>
// CHECK: arith.addi %{{.*}}, %[[ROWS]]
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c16
// CHECK: vector.create_mask
// CHECK-NOT: vector.create_mask
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<16xf32>, tensor<?xf32>
// With vectors of eight lanes, groups of more than eight rows have a second square.
// NARROW-LABEL: func.func @tight_groups
// NARROW: %[[ROWS:.*]] = arith.minui %{{.*}}, %{{.*}} : index
// NARROW: vector.transfer_write %{{.*}} : vector<8xf32>, tensor<?xf32>
// NARROW: %[[MORE:.*]] = arith.cmpi ugt, %[[ROWS]], %c8
// NARROW: scf.if %[[MORE]] -> (tensor<?xf32>) {
// NARROW: vector.transfer_write %{{.*}} : vector<8xf32>, tensor<?xf32>
// NARROW: } else {
// NARROW-NEXT: scf.yield
func.func @tight_groups(%a: tensor<?x?xf32>, %d: tensor<?x?x?xf32>, %mr: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %a padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [%mr] into %d {vortex.tight}
      : tensor<?x?xf32> -> tensor<?x?x?xf32>
  %flat = tensor.collapse_shape %p [[0, 1, 2]] : tensor<?x?x?xf32> into tensor<?xf32>
  return %flat : tensor<?xf32>
}

// Neither rows nor elements of a group lie beside each other: the source is transposed first.
// CHECK-LABEL: func.func @groups_apart
// CHECK:         %[[INSIDE:.*]] = linalg.transpose ins(%{{.*}} : tensor<?x?x?xi8>) outs({{.*}}) permutation = [0, 2, 1]
// CHECK:         vector.transfer_read %[[INSIDE]]
// CHECK-NOT:     linalg.pack
func.func @groups_apart(%x: tensor<?x?x?xi8>, %to: tensor<?x?x?x32x4xi8>) -> tensor<?x?x?x32x4xi8> {
  %zero = arith.constant 0 : i8
  %pack = linalg.pack %x padding_value(%zero : i8) outer_dims_perm = [0, 2, 1] inner_dims_pos = [0, 1] inner_tiles = [32, 4] into %to
      : tensor<?x?x?xi8> -> tensor<?x?x?x32x4xi8>
  return %pack : tensor<?x?x?x32x4xi8>
}
