// Deals go from place to place of a system: each chooses a call and goes on to the place behind it,
// a deal a thread, until its auction is over or nobody has worked that place out yet.
#include "system_walk.cuh"

// Bids each deal on as far as places are known.
//
//   waiting   [count] which of the packed deals go on; null for all `packed` of them
//   order     [packed] number of a packed deal; what follows goes by number
//   place     where each deal is to call; behind, the place of its last call
//   depth     how many calls lead there
//   entry     that made the last call, negative for a pass by default
//   defaults  passes that were made because no entry held
//   wanted    [wanted_slots] table of what has to be worked out, 0 before; listed in wanted_keys
//   counters  listed keys, deals that wait for them
extern "C" __global__ void __launch_bounds__(256, 4) bid_on(
    const Entry* __restrict__ first_entries, const Test* __restrict__ first_tests,
    const u64* __restrict__ first_words, u32 first_width, const Entry* __restrict__ other_entries,
    const Test* __restrict__ other_tests, const u64* __restrict__ other_words, u32 other_width,
    const u64* __restrict__ keys, const i32* __restrict__ values, u32 slots,
    const i32* __restrict__ parent, const u8* __restrict__ call, const i32* __restrict__ chosen,
    const i64* __restrict__ list_first, const i32* __restrict__ list_items,
    const u32* __restrict__ waiting, u32 count, const u32* __restrict__ order, u32 packed,
    i32* __restrict__ place, u16* __restrict__ depth, i32* __restrict__ entry,
    u16* __restrict__ defaults, u64* __restrict__ wanted, u32 wanted_slots,
    u64* __restrict__ wanted_keys, u32* __restrict__ counters, u32* __restrict__ still_waiting) {
    const u64 number = thread_number();
    if (number >= count) return;
    const u32 at = waiting == nullptr ? static_cast<u32>(number) : waiting[number];
    const u32 deal = order[at];
    const Places places = {
        keys, values, slots, {parent}, {call}, {chosen}, {list_first}, {list_items}};
    i32 here = place[deal];
    u32 length = depth[deal];
    u32 passed = defaults[deal];
    for (;;) {
        const bool is_first = (length & 1u) == 0;
        const Entry* const entries = is_first ? first_entries : other_entries;
        const Test* const tests = is_first ? first_tests : other_tests;
        const u64 width = is_first ? first_width : other_width;
        const u64* const words =
            (is_first ? first_words : other_words) + (length & 3u) * width * packed + at;
        const i32 list = __ldg(chosen + here);
        const i64 end = __ldg(list_first + list + 1);
        i32 taken = -1, made = 0;
        for (i64 item = __ldg(list_first + list); item < end; ++item) {
            const i32 candidate = __ldg(list_items + item) >> 1;
            const i32 its_call = __ldg(&entries[candidate].call);
            if (passes_chain(tests, __ldg(&entries[candidate].test), words, packed)) {
                taken = candidate;
                made = its_call;
                break;
            }
        }
        const u32 by_default = taken < 0 ? 1u : 0u;
        if (ends(places, here, made)) {
            place[deal] = here;
            depth[deal] = static_cast<u16>(length);
            entry[deal] = taken;
            defaults[deal] = static_cast<u16>(passed + by_default);
            return;
        }
        const i32 child = places.behind(here, made);
        if (child < 0) {
            // it calls again when the place behind is there
            place[deal] = here;
            depth[deal] = static_cast<u16>(length);
            defaults[deal] = static_cast<u16>(passed);
            still_waiting[atomicAdd(counters + 1, 1u)] = at;
            want(key_behind(here, made), wanted, wanted_slots, wanted_keys, counters);
            return;
        }
        passed += by_default;
        here = child;
        ++length;
    }
}

// Puts deals at a place that `length` calls lead to.
extern "C" __global__ void __launch_bounds__(256) start_deals(
    u32 count, i32 from, u32 length, i32* __restrict__ place, u16* __restrict__ depth) {
    const u64 deal = thread_number();
    if (deal >= count) return;
    place[deal] = from;
    depth[deal] = static_cast<u16>(length);
}

// Tells how many calls each deal's auction has, with the pass that ends it.
extern "C" __global__ void __launch_bounds__(256) auction_lengths(
    const u16* __restrict__ depth, u32 count, u64* __restrict__ lengths) {
    const u64 deal = thread_number();
    if (deal < count) lengths[deal] = depth[deal] + 1u;
}

// Writes each deal's auction, which a pass ends, and what it leads to.
//
//   starts    [count] where in `calls` each auction begins
//   ends      [count + 1] the same, with the end of all
//   contract  0 passed out, else 1 + 3 * (bid - 3) + doubling
//   declarer  by compass, 4 for none
extern "C" __global__ void __launch_bounds__(256) write_auctions(
    const i32* __restrict__ parent, const u8* __restrict__ call, const i32* __restrict__ place,
    const u16* __restrict__ depth, const u8* __restrict__ dealer, const u64* __restrict__ starts,
    u32 count, u8* __restrict__ calls, i32* __restrict__ ends, u8* __restrict__ contract,
    u8* __restrict__ declarer) {
    const u64 deal = thread_number();
    if (deal >= count) return;
    const u32 length = depth[deal];
    const u64 start = starts[deal];
    u32 bid = 0, doubling = 0, first = 0;
    i32 here = place[deal];
    calls[start + length] = 0;
    for (u32 at = length; at-- > 0; here = __ldg(parent + here)) {
        const u32 made = __ldg(call + here);
        calls[start + at] = static_cast<u8>(made);
        if (bid == 0 && made < 3 && made > doubling) doubling = made;
        if (bid == 0 && made >= 3) bid = made, first = at;
        // their side's first bid of the strain
        if (made >= 3 && made % 5 == bid % 5 && (at & 1u) == (first & 1u)) first = at;
    }
    if (deal == 0) ends[0] = 0;
    ends[deal + 1] = static_cast<i32>(start) + static_cast<i32>(length) + 1;
    contract[deal] = static_cast<u8>(bid == 0 ? 0 : 1 + 3 * (bid - 3) + doubling);
    declarer[deal] = static_cast<u8>(bid == 0 ? 4 : (first + dealer[deal]) & 3u);
}

// Marks the places that deals end at; marks are 0 before.
extern "C" __global__ void __launch_bounds__(256) mark_places(
    const i32* __restrict__ place, u32 count, u64* __restrict__ marks) {
    const u64 deal = thread_number();
    if (deal < count) atomicCAS(marks + place[deal], 0ull, 1ull);
}

// Lists the marked places, by the sums of the marks before each, and `total` behind the last.
extern "C" __global__ void __launch_bounds__(256) list_marked(
    const u64* __restrict__ sums, u32 places, u32 total, i32* __restrict__ listed) {
    const u64 place = thread_number();
    if (place >= places) return;
    const u64 number = sums[place], next = place + 1 < places ? sums[place + 1] : total;
    if (next != number) listed[number] = static_cast<i32>(place);
}

// Tells of each deal which of the listed places it ends at, in 16 bits where `narrow` is there.
extern "C" __global__ void __launch_bounds__(256) number_ends(
    const i32* __restrict__ place, u32 count, const u64* __restrict__ sums,
    u16* __restrict__ narrow, u32* __restrict__ wide) {
    const u64 deal = thread_number();
    if (deal >= count) return;
    const u64 number = sums[place[deal]];
    if (narrow != nullptr) narrow[deal] = static_cast<u16>(number);
    else wide[deal] = static_cast<u32>(number);
}

// Enters the places from `first` to `end` into the hash table, a thread each.
extern "C" __global__ void __launch_bounds__(256) enter_places(
    const i32* __restrict__ parent, const u8* __restrict__ call, u32 first, u32 end,
    u64* __restrict__ keys, i32* __restrict__ values, u32 slots) {
    const u64 place = first + thread_number();
    if (place >= end) return;
    const u64 key = key_behind(parent[place], call[place]);
    u32 slot = static_cast<u32>(mixed(key)) & (slots - 1);
    while (atomicCAS(keys + slot, 0ull, key) != 0) slot = (slot + 1) & (slots - 1);
    values[slot] = static_cast<i32>(place);
}

// Sets the flags of packed hands that follow from other flags and lanes; words [4][width][count].
extern "C" __global__ void __launch_bounds__(256) derive_flags(
    const Test* __restrict__ tests, const i32* __restrict__ first_tests,
    const i32* __restrict__ flags, u32 flag_count, u32 lane_words, u32 width, u32 count,
    u64* __restrict__ words) {
    const u64 number = thread_number();
    if (number >= 4ull * count) return;
    u64* const own = words + number / count * width * count + number % count;
    for (u32 which = 0; which < flag_count; ++which)
        if (passes_chain(tests, __ldg(first_tests + which), own, count)) {
            const u32 flag = static_cast<u32>(__ldg(flags + which));
            own[static_cast<u64>(lane_words + flag / 64) * count] |= 1ull << (flag % 64);
        }
}
