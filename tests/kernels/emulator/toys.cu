// Small kernels, right ones and one for every mistake that the emulator is to find.
#include "device.cuh"

#define KERNEL extern "C" __global__ void

// ---- right --------------------------------------------------------------------------------------

KERNEL reverse_in_block(u32* out, const u32* in, u32 count) {
    __shared__ u32 tile[128];
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = at < count ? in[at] : 0;
    __syncthreads();
    if (at < count) out[at] = tile[blockDim.x - 1 - threadIdx.x];
}

// Exclusive prefix sum over a block: within warps by shuffles, then over the warps.
KERNEL prefix_sum(u32* out, const u32* in) {
    __shared__ u32 sums[32];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const u32 own = in[threadIdx.x];
    u32 sum = own;
    for (u32 step = 1; step < WARP; step *= 2) {
        const u32 below = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane >= step) sum += below;
    }
    if (lane == WARP - 1) sums[warp] = sum;
    __syncthreads();
    u32 before = 0;
    for (u32 other = 0; other < warp; ++other) before += sums[other];
    out[threadIdx.x] = before + sum - own;
}

// Keeps the odd numbers, in any order; returns how many in *kept.
KERNEL keep_odd(u32* out, u32* kept, const u32* in, u32 count) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 lane = threadIdx.x % WARP;
    const u32 value = at < count ? in[at] : 0;
    const u32 odd = __ballot_sync(ALL_LANES, value & 1u);
    u32 start = 0;
    if (lane == 0 && odd != 0) start = atomicAdd(kept, static_cast<u32>(__popc(odd)));
    start = __shfl_sync(ALL_LANES, start, 0);
    if (value & 1u) out[start + static_cast<u32>(__popc(odd & lanes_below(lane)))] = value;
}

KERNEL votes(u32* out, u32 mask) {
    const u32 lane = threadIdx.x;
    if ((mask >> lane & 1u) == 0) return;
    u32* row = out + 6 * lane;
    row[0] = __ballot_sync(mask, lane % 3 == 0);
    row[1] = static_cast<u32>(__any_sync(mask, lane == 31));
    row[2] = static_cast<u32>(__all_sync(mask, lane < 31));
    row[3] = __shfl_xor_sync(mask, 100 + lane, 1);
    row[4] = __shfl_down_sync(mask, 100 + lane, 2, 8);
    row[5] = __match_any_sync(mask, lane / 4);
}

#if __CUDA_ARCH__ >= 800
KERNEL reductions(u32* out, const u32* in) {
    const u32 value = in[threadIdx.x];
    const u32 found[6] = {__reduce_add_sync(ALL_LANES, value), __reduce_min_sync(ALL_LANES, value),
                          __reduce_max_sync(ALL_LANES, value), __reduce_and_sync(ALL_LANES, value),
                          __reduce_or_sync(ALL_LANES, value), __reduce_xor_sync(ALL_LANES, value)};
    if (threadIdx.x < 6) out[threadIdx.x] = found[threadIdx.x];
}
#endif

KERNEL block_votes(u32* out) {
    const int low = threadIdx.x < 3;
    const u32 count = static_cast<u32>(__syncthreads_count(low));
    const u32 every = static_cast<u32>(__syncthreads_and(low));
    const u32 some = static_cast<u32>(__syncthreads_or(low));
    if (threadIdx.x == 0) {
        out[0] = count;
        out[1] = every;
        out[2] = some;
    }
}

// What one lane writes before __syncwarp, another reads behind it; half a warp at a time.
KERNEL swap_in_half_warps(u32* out) {
    DYNAMIC_SHARED(bytes);
    u32* words = reinterpret_cast<u32*>(bytes);
    const u32 lane = threadIdx.x % WARP;
    words[threadIdx.x] = 7 * threadIdx.x;
    if (lane < 16) __syncwarp(0x0000ffffu);
    else __syncwarp(0xffff0000u);
    out[threadIdx.x] = words[threadIdx.x ^ 1u];
}

KERNEL histogram(u32* counts, const u8* values, u32 count) {
    __shared__ u32 local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x)
        atomicAdd(&local[values[at]], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

KERNEL add(u64* out, const u64* in, u64 amount, u32 count) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) out[at] = in[at] + amount;
}

KERNEL intrinsics(u64* out, u64 word, i32 narrow) {
    const u32 low = static_cast<u32>(word), high = static_cast<u32>(word >> 32);
    out[0] = static_cast<u64>(__popc(low));
    out[1] = static_cast<u64>(__popcll(word));
    out[2] = static_cast<u64>(__ffs(narrow));
    out[3] = static_cast<u64>(__ffsll(static_cast<i64>(word)));
    out[4] = static_cast<u64>(__clz(narrow));
    out[5] = static_cast<u64>(__clzll(static_cast<i64>(word)));
    out[6] = __brev(low);
    out[7] = __brevll(word);
    out[8] = __umulhi(low, high);
    out[9] = __umul64hi(word, word);
    out[10] = __funnelshift_l(low, high, 5);
    out[11] = __funnelshift_r(low, high, 5);
    out[12] = __byte_perm(low, high, 0x7160);
    out[13] = min(low, high);
    out[14] = max(word, static_cast<u64>(low));
}

// ---- wrong --------------------------------------------------------------------------------------

KERNEL forgets_a_barrier(u32* out) {
    __shared__ u32 tile[64];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL trusts_a_vote_to_order(u32* out) {
    __shared__ u32 tile[32];
    tile[threadIdx.x] = 0;
    __syncwarp();
    tile[threadIdx.x] = threadIdx.x;
    const u32 all = __ballot_sync(ALL_LANES, 1);
    out[threadIdx.x] = tile[31 - threadIdx.x] + all;
}

KERNEL overwrites_too_early(u32* out) {
    __shared__ u32 tile[64];
    for (u32 round = 0; round < 2; ++round) {
        tile[threadIdx.x] = threadIdx.x + round;
        __syncthreads();
        out[threadIdx.x] = tile[63 - threadIdx.x];
    }
}

KERNEL blocks_meet(u32* out) { out[0] = blockIdx.x; }

KERNEL writes_beyond(u32* out, u32 count) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at <= count) out[at] = at;
}

KERNEL writes_far_beyond(u32* out) { out[(1ll << 40)] = 1; }

KERNEL reads_before(u32* out, const u32* in) { out[0] = in[static_cast<i64>(blockIdx.x) - 1]; }

KERNEL reads_unwritten(u32* out, const u32* in) { out[0] = in[1]; }

KERNEL reads_unwritten_shared(u32* out) {
    __shared__ u32 tile[32];
    if (threadIdx.x > 0) tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

KERNEL shared_beyond(u32* out) {
    DYNAMIC_SHARED(bytes);
    bytes[threadIdx.x + 1] = 1;
    out[threadIdx.x] = 1;
}

KERNEL leaves_half_unwritten(u32* out) {
    if (threadIdx.x % 2 == 0) out[threadIdx.x] = 1;
}

KERNEL divides_at_a_barrier(u32* out) {
    if (threadIdx.x < 32) __syncthreads();
    else __syncthreads();
    out[threadIdx.x] = 1;
}

KERNEL leaves_before_a_barrier(u32* out, u32 count) {
    if (threadIdx.x >= count) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

KERNEL leaves_before_a_vote(u32* out) {
    if (threadIdx.x == 5) return;
    out[threadIdx.x] = __ballot_sync(ALL_LANES, 1);
}

KERNEL votes_outside_its_mask(u32* out) {
    out[threadIdx.x] = __ballot_sync(0x0000ffffu, 1);
}

KERNEL shuffles_from_outside(u32* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, threadIdx.x, 20);
}

KERNEL mixes_plain_and_atomic(u32* out) {
    if (threadIdx.x == 0) out[0] = 1;
    else atomicAdd(out, 1u);
}

KERNEL reads_askew(u64* out, const u8* in) {
    out[0] = *reinterpret_cast<const u64*>(in + blockIdx.x + 4);
}

KERNEL spins(u32* out) {
    while (atomicAdd(out, 0u) == 0) {
    }
}

KERNEL traps(u32* out) {
    if (out[0] == 3) __trap();
}
