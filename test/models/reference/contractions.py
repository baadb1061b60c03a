"""References of gemm.mlir, batch_matmul.mlir, long_reduction.mlir, widening.mlir, few_columns.mlir, dot_product.mlir and matrix_tile.mlir."""
import numpy as np

from .numerics import *
from .registry import program

MNK = ("m=1,n=1,k=1", "m=5,n=7,k=3", "m=33,n=65,k=17", "m=17,n=130,k=257", "m=0,n=5,k=3")
# B takes more than half of L2, in whichever type: panels stay for blocks of rows.
LARGE = "m=29,n=1030,k=1030"


@program("gemm", *MNK, "m=3,n=5,k=0", LARGE)
def gemm_f32(r, m, n, k):
    a, b = r.f(m, k), r.f(k, n)
    return [a, b], [mm(a, b)]


@program("gemm", *MNK, LARGE)
def gemm_acc_f32(r, m, n, k):
    a, b, c = r.f(m, k), r.f(k, n), r.f(m, n)
    return [a, b, c], [c + mm(a, b)]


@program("gemm", *MNK)
def gemm_nt_f32(r, m, n, k):
    a, b = r.f(m, k), r.f(n, k)
    return [a, b], [mm(a, b.T)]


@program("gemm", *MNK)
def gemm_tn_f32(r, m, n, k):
    a, b = r.f(k, m), r.f(k, n)
    return [a, b], [mm(a.T, b)]


@program("gemm", *MNK)
def gemm_generic_f32(r, m, n, k):
    a, b = r.f(m, k), r.f(k, n)
    return [a, b], [mm(a, b)]


@program("gemm", *MNK, LARGE)
def gemm_bf16_f32(r, m, n, k):
    a, b = r.bf16(m, k), r.bf16(k, n)
    return [a, b], [mm(from_bf16(a), from_bf16(b))]


@program("gemm", *MNK, tol=8e-3)
def gemm_bf16_bf16(r, m, n, k):
    a, b = r.bf16(m, k), r.bf16(k, n)
    return [a, b], [to_bf16(mm(from_bf16(a), from_bf16(b)))]


@program("gemm", *MNK)
def gemm_f16_f32(r, m, n, k):
    a, b = r.f(m, k).astype(np.float16), r.f(k, n).astype(np.float16)
    return [a, b], [mm(a, b)]


@program("gemm", *MNK, LARGE, tol=0)
def gemm_i8_i32(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b], [a.astype(np.int32) @ b.astype(np.int32)]


@program("gemm", *MNK, tol=0)
def gemm_i8_zero_points(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b, np.int32(3), np.int32(-11)], [(a.astype(np.int32) - 3) @ (b.astype(np.int32) + 11)]


@program("gemm", *MNK)
def gemm_bias_gelu(r, m, n, k):
    a, b, c = r.f(m, k), r.f(k, n), r.f(n)
    return [a, b, c], [gelu(mm(a, b) + c)]


@program("gemm", "m=1,k=1", "m=7,k=5", "m=65,k=130")
def matvec_f32(r, m, k):
    a, x = r.f(m, k), r.f(k)
    return [a, x], [mm(a, x)]


BMNK = ("b=1,m=1,n=1,k=1", "b=3,m=5,n=7,k=4", "b=2,m=17,n=33,k=65", "b=5,m=1,n=31,k=64")


@program("batch_matmul", *BMNK)
def batch_matmul_f32(r, b, m, n, k):
    x, y = r.f(b, m, k), r.f(b, k, n)
    return [x, y], [mm(x, y)]


@program("batch_matmul", *BMNK)
def batch_matmul_nt_f32(r, b, m, n, k):
    x, y = r.f(b, m, k), r.f(b, n, k)
    return [x, y], [mm(x, y.transpose(0, 2, 1))]


@program("batch_matmul", *BMNK)
def batch_matmul_shared_f32(r, b, m, n, k):
    x, y = r.f(b, m, k), r.f(k, n)
    return [x, y], [mm(x, y)]


@program("batch_matmul", *BMNK)
def batch_matmul_broadcast_f32(r, b, m, n, k):
    x, y = r.f(b, m, k), r.f(k, n)
    return [x, y], [mm(x, y)]


@program("batch_matmul", *BMNK)
def batch_matmul_heads_f32(r, b, m, n, k):
    x, y = r.f(b, 3, m, k), r.f(b, k, 3, n)
    return [x, y], [mm(x, y.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)]


@program("batch_matmul", *BMNK, "b=2,m=29,n=17,k=9")
def batch_matmul_projection_f32(r, b, m, n, k):
    x, y = r.f(b, m, k), r.f(b, k, n)
    return [x, y], [mm(x, y).transpose(1, 0, 2)]


@program("batch_matmul", *BMNK, "b=2,m=29,n=17,k=9")
def batch_matmul_between_f32(r, b, m, n, k):
    x, y = r.f(b, k, m), r.f(b, k, n)
    return [x, y], [mm(x.transpose(0, 2, 1), y).transpose(1, 0, 2)]


@program("long_reduction", *MNK, "m=3,n=5,k=0")
def long_dense(r, m, n, k):
    a, w, bias = r.f(m, k), r.f(k, n), r.f(n)
    return [a, w, bias], [np.maximum(mm(a, w) + bias, 0)]


@program("long_reduction", *MNK)
def long_acc(r, m, n, k):
    a, b, c = r.f(m, k), r.f(k, n), r.f(m, n)
    return [a, b, c], [c + mm(a, b)]


@program("long_reduction", *BMNK, tol=8e-3)
def long_batch_bf16(r, b, m, n, k):
    x, y = r.bf16(b, m, k), r.bf16(b, k, n)
    return [x, y], [to_bf16(mm(from_bf16(x), from_bf16(y)))]


@program("widening", *MNK, tol=0)
def widening_i8_i64(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b], [a.astype(np.int64) @ b.astype(np.int64)]


@program("widening", *MNK, tol=1e-12, double=True)
def widening_f16_f64(r, m, n, k):
    a, b = r.f(m, k).astype(np.float16), r.f(k, n).astype(np.float16)
    return [a, b], [a.astype(np.float64) @ b.astype(np.float64)]


FEW = ("m=1,n=1,k=1", "m=12,n=1,k=4", "m=40,n=1,k=3", "m=41,n=2,k=1", "m=33,n=3,k=5", "m=127,n=4,k=8", "m=64,n=8,k=8", "m=9,n=9,k=17", "m=0,n=1,k=3",
       "m=3,n=0,k=2", "m=13,n=3,k=0")


@program("few_columns", *FEW, tol=1e-12, double=True)
def few_columns_f64(r, m, n, k):
    a, b, bias = (r.f(*shape).astype(np.float64) for shape in ((m, k), (k, n), (n,)))
    return [a, b, bias], [np.maximum(a @ b + bias, 0)]


@program("few_columns", *FEW, tol=0)
def few_columns_i32(r, m, n, k):
    a, b = r.i8(m, k).astype(np.int32), r.i8(k, n).astype(np.int32)
    return [a, b], [a @ b]


@program("few_columns", *FEW)
def few_columns_apart(r, m, n, k):
    a, b, o = r.f(m, k + 3), r.f(k, n), r.f(m, n + 4)
    result = o.copy()
    result[:, 2:n + 2] = mm(a[:, 1:k + 1], b)
    return [a, b, o], [result]


@program("few_columns", *FEW)
def few_columns_acc(r, m, n, k):
    a, b, start, bias = r.f(m, k), r.f(k, n), r.f(m, n), r.f(n)
    return [a, b, start, bias], [start + mm(a, b) + bias]


K = ("m=1,n=1,k=1", "m=5,n=7,k=3", "m=16,n=33,k=4", "m=17,n=31,k=5", "m=29,n=65,k=17", "m=13,n=130,k=257", "m=3,n=32,k=2", "m=27,n=64,k=31",
     "m=0,n=5,k=3", "m=3,n=0,k=7", "m=3,n=5,k=0")
BK = ("b=1,m=1,n=1,k=1", "b=3,m=5,n=7,k=3", "b=2,m=29,n=33,k=17", "b=2,m=14,n=65,k=66", "b=0,m=3,n=5,k=2", "b=2,m=3,n=5,k=0")


def _product(a, b, types):
    """Exact, then wrapped to 32 bits."""
    a, b = (x.view(t).astype(np.int64) for x, t in zip((a, b), types))
    return (a @ b).astype(np.int32)


@program("dot_product", *K, tol=0)
def dot_i8(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b], [_product(a, b, ("i1", "i1"))]


@program("dot_product", *K, tol=0)
def dot_u8_i8(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b], [_product(a, b, ("u1", "i1"))]


@program("dot_product", *K, tol=0)
def dot_i8_u8(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b], [_product(a, b, ("i1", "u1"))]


@program("dot_product", *K[:5], tol=0)
def dot_u8(r, m, n, k):
    a, b = r.i8(m, k), r.i8(k, n)
    return [a, b], [_product(a, b, ("u1", "u1"))]


@program("dot_product", *K, tol=0)
def dot_acc_i8(r, m, n, k):
    a, b, c = r.i8(m, k), r.i8(k, n), r.g.integers(-2**31, 2**31, (m, n), dtype=np.int32)
    return [a, b, c], [(_product(a, b, ("i1", "i1")).astype(np.int64) + c).astype(np.int32)]


@program("dot_product", *K, tol=0)
def dot_nt_i8(r, m, n, k):
    a, b = r.i8(m, k), r.i8(n, k)
    return [a, b], [_product(a, b.T.copy(), ("i1", "i1"))]


@program("dot_product", "m=1,n=1,k=1,l=1", "m=5,n=7,k=2,l=3", "m=17,n=33,k=5,l=4", "m=29,n=65,k=3,l=37", "m=3,n=32,k=0,l=5", "m=0,n=3,k=2,l=2",
         tol=0)
def dot_crossed_i8(r, m, n, k, l):
    a, b = r.i8(k, m, l), r.i8(n, l, k)
    rows = np.ascontiguousarray(a.transpose(1, 0, 2)).reshape(m, k * l)
    columns = np.ascontiguousarray(b.transpose(2, 1, 0)).reshape(k * l, n)
    return [a, b], [_product(rows, columns, ("i1", "i1"))]


@program("dot_product", *BK, tol=0)
def dot_batch_i8(r, b, m, n, k):
    x, y = r.i8(b, m, k), r.i8(b, k, n)
    return [x, y], [_product(x, y, ("i1", "i1"))]


@program("dot_product", *K, tol=0)
def dot_i16(r, m, n, k):
    a, b = (r.g.integers(-2**15, 2**15, shape, dtype=np.int16) for shape in ((m, k), (k, n)))
    if k > 1:
        a[:, :2] = b[:2] = -2**15                     # two products that do not fit 32 bits together
    return [a, b], [_product(a, b, ("i2", "i2"))]


@program("dot_product", *K)
def dot_bf16(r, m, n, k):
    a, b = r.bf16(m, k), r.bf16(k, n)
    return [a, b], [mm(from_bf16(a), from_bf16(b))]


@program("dot_product", *K)
def dot_nt_bf16(r, m, n, k):
    a, b = r.bf16(m, k), r.bf16(n, k)
    return [a, b], [mm(from_bf16(a), from_bf16(b).T)]


@program("dot_product", *BK)
def dot_batch_bf16(r, b, m, n, k):
    x, y = r.bf16(b, m, k), r.bf16(b, k, n)
    return [x, y], [mm(from_bf16(x), from_bf16(y))]


# Around a group, one tile and two of each extent.
T = ("m=1,n=1,k=1", "m=15,n=31,k=31", "m=16,n=32,k=32", "m=17,n=33,k=33", "m=31,n=1,k=63", "m=32,n=63,k=64", "m=33,n=64,k=65",
     "m=65,n=97,k=129", "m=2,n=130,k=127", "m=0,n=5,k=3", "m=3,n=0,k=7", "m=3,n=5,k=0")
BT = ("b=1,m=1,n=1,k=1", "b=3,m=17,n=33,k=65", "b=2,m=32,n=32,k=64", "b=2,m=33,n=31,k=131", "b=0,m=3,n=5,k=2", "b=2,m=3,n=5,k=0")


@program("matrix_tile", *T, tol=8e-3)
def tile_bf16(r, m, n, k):
    a, b, bias = r.bf16(m, k), r.bf16(k, n), r.f(n)
    return [a, b, bias], [to_bf16(np.maximum(mm(from_bf16(a), from_bf16(b)) + bias, 0))]


@program("matrix_tile", *T, tol=0)
def tile_acc_i8(r, m, n, k):
    a, b, c = r.i8(m, k), r.i8(n, k), r.g.integers(-2**31, 2**31, (m, n), dtype=np.int32)
    return [a, b, c], [(_product(a, b.T.copy(), ("i1", "i1")).astype(np.int64) + c).astype(np.int32)]


@program("matrix_tile", *BT, tol=0)
def tile_batch_u8_i8(r, b, m, n, k):
    x, y = r.i8(b, m, k), r.i8(b, k, n)
    return [x, y], [_product(x, y, ("u1", "i1"))]


@program("matrix_tile", *BT)
def tile_heads_bf16(r, b, m, n, k):
    x, y = r.bf16(b, m, 2, k), r.bf16(b, n, 2, k)
    return [x, y], [np.einsum("bmhk,bnhk->bhmn", from_bf16(x).astype(np.float64), from_bf16(y).astype(np.float64)).astype(np.float32)]
