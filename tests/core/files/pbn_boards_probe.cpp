// What tests ask of files/pbn_boards.hpp, by which the page reads PBN.
#include "files/pbn_boards.hpp"

#include <cstdlib>

using namespace core;

void* core::allocate(u64 bytes) { return std::calloc(bytes, 1); }
void core::release(void* memory, u64) { std::free(memory); }

extern "C" {

void* open_boards(u8* text, u64 bytes) { return new PbnBoards(text, bytes); }
void close_boards(void* boards) { delete static_cast<PbnBoards*>(boards); }

// Whether there is another record: its words, how many bytes its texts have, and where all of it lies.
bool next_board(void* reader, i32* words, u64* bytes, const void** places) {
    PbnBoards& boards = *static_cast<PbnBoards*>(reader);
    if (!boards.next()) return false;
    copy_bytes(words, &boards.record, sizeof boards.record);
    *bytes = boards.words.count;
    const void* const arrays[] = {boards.calls, boards.alerts, boards.tail.data, boards.cards,
                                  boards.comment_kinds.data, boards.ends.data, boards.words.data};
    for (const void* const array : arrays) *places++ = array;
    return true;
}
}
