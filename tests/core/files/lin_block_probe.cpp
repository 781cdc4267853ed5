// What tests ask of files/lin_block.hpp, by which the page reads LIN.
#include "files/lin_block.hpp"

using namespace core;

extern "C" {

u64 block_size(u64 bytes, u64 most_boards) { return LinBlock(nullptr, bytes, most_boards).size(); }

// Reads the text that a block begins with; how many there are of each, and where in the block they lie.
void read_block(u8* block, u64 bytes, u64 most_boards, i64 tokens, i64 longest, i64* counts, i64* places) {
    LinBlock memory(block, bytes, most_boards);
    const LinArrays& found = memory.read(tokens, longest);
    copy_bytes(counts, found.counts.data, LIN_COUNTS * sizeof(i64));
    const void* const arrays[] = {
        found.boards.data, found.rejects.data, found.calls.data, found.alerts.data,
        found.announcements.data, found.announcement_ends.data, found.tail.data, found.play.data,
        found.commentary.data};
    for (const void* const array : arrays) *places++ = static_cast<const u8*>(array) - block;
}
}
