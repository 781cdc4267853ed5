// Arrays and tables that grow, for what a host learns. Memory comes from two functions that the
// target gives (`allocate`, `release`), so that nothing here needs a library.
#pragma once
#include "base.hpp"

namespace core {

// Zeroed memory, never null; and its return. Each target defines them once.
void* allocate(u64 bytes);
void release(void* memory, u64 bytes);

inline void copy_bytes(void* to, const void* from, u64 bytes) {
    if (bytes) __builtin_memcpy(to, from, bytes);
}

inline bool equal_bytes(const void* one, const void* other, u64 bytes) {
    return bytes == 0 || __builtin_memcmp(one, other, bytes) == 0;
}

// Some items in a row that somebody else owns.
template <class T>
struct Span {
    const T* data = nullptr;
    u64 count = 0;

    const T& operator[](u64 number) const {
        CORE_CHECK(number < count);
        return data[number];
    }
    const T* begin() const { return data; }
    const T* end() const { return data + count; }
};

// Items in a row, of a type that bytes can copy. Room behind the last item is zero.
template <class T>
struct Vec {
    T* data = nullptr;
    u64 count = 0, room = 0;

    Vec() = default;
    Vec(const Vec&) = delete;
    Vec& operator=(const Vec&) = delete;
    Vec(Vec&& other) : data(other.data), count(other.count), room(other.room) {
        other.data = nullptr;
        other.count = other.room = 0;
    }
    Vec& operator=(Vec&& other) {
        if (this != &other) {
            clear_all();
            data = other.data, count = other.count, room = other.room;
            other.data = nullptr;
            other.count = other.room = 0;
        }
        return *this;
    }
    ~Vec() { clear_all(); }

    T& operator[](u64 number) {
        CORE_CHECK(number < count);
        return data[number];
    }
    const T& operator[](u64 number) const {
        CORE_CHECK(number < count);
        return data[number];
    }
    T* begin() { return data; }
    T* end() { return data + count; }
    const T* begin() const { return data; }
    const T* end() const { return data + count; }
    T& last() { return data[count - 1]; }
    Span<T> span() const { return {data, count}; }
    // Of what was written: large memory behind it is not taken yet.
    u64 bytes() const { return count * sizeof(T); }

    void reserve(u64 least_room) {
        if (least_room <= room) return;
        u64 larger = room ? room : 16;
        while (larger < least_room) larger *= 2;
        T* const moved = static_cast<T*>(allocate(larger * sizeof(T)));
        copy_bytes(moved, data, count * sizeof(T));
        if (data) release(data, room * sizeof(T));
        data = moved;
        room = larger;
    }
    // Appends an item, which may be one of its own; its number.
    u64 push(const T& item) {
        const T copy = item;
        reserve(count + 1);
        data[count] = copy;
        return count++;
    }
    void append(const T* items, u64 more) {
        reserve(count + more);
        copy_bytes(data + count, items, more * sizeof(T));
        count += more;
    }
    // New items are zero.
    void resize(u64 size) {
        reserve(size);
        if (size < count) __builtin_memset(static_cast<void*>(data + size), 0, (count - size) * sizeof(T));
        count = size;
    }
    void clear() { resize(0); }

  private:
    void clear_all() {
        if (data) release(data, room * sizeof(T));
        data = nullptr;
        count = room = 0;
    }
};

// A number for each key, with open addressing. The key ~0 is not allowed.
struct Map {
    struct Slot {
        u64 key;
        i32 value;
    };
    Vec<Slot> slots;
    u64 count = 0;

    // Value of a key, -1 where it is not there (values may be negative: see `has`).
    i32 get(u64 key) const {
        const Slot* const found = find(key);
        return found ? found->value : -1;
    }
    bool has(u64 key) const { return find(key) != nullptr; }
    u64 bytes() const { return slots.bytes(); }
    // Makes room for the first keys, for those who look keys up in `slots` themselves.
    void reserve() {
        if (slots.count == 0) grow();
    }
    // Puts a key that is not there.
    void add(u64 key, i32 value) {
        if (2 * (count + 1) > slots.count) grow();
        put(key, value);
        ++count;
    }

  private:
    const Slot* find(u64 key) const {
        if (slots.count == 0) return nullptr;
        for (u64 at = mixed(key) & (slots.count - 1);; at = (at + 1) & (slots.count - 1)) {
            if (slots[at].key == key) return &slots[at];
            if (slots[at].key == ~0ull) return nullptr;
        }
    }
    void put(u64 key, i32 value) {
        u64 at = mixed(key) & (slots.count - 1);
        while (slots[at].key != ~0ull) at = (at + 1) & (slots.count - 1);
        // others may be reading
        slots[at].value = value;
        __atomic_store_n(&slots[at].key, key, __ATOMIC_RELEASE);
    }
    void grow() {
        Vec<Slot> before = static_cast<Vec<Slot>&&>(slots);
        slots.resize(before.count ? 2 * before.count : 64);
        for (Slot& slot : slots) slot = {~0ull, -1};
        for (const Slot& slot : before)
            if (slot.key != ~0ull) put(slot.key, slot.value);
    }
};

// Rows of 32-bit words of any length, each kept once under a number: equal rows, equal numbers.
struct Rows {
    Vec<i32> words;
    Vec<u64> starts;  // [count + 1], once there is a row

    u64 count() const { return starts.count ? starts.count - 1 : 0; }
    u64 bytes() const {
        return words.bytes() + starts.bytes() + slots_.bytes() + hashes_.bytes();
    }
    Span<i32> operator[](u64 number) const {
        CORE_CHECK(number < count());
        return {words.data + starts[number], starts[number + 1] - starts[number]};
    }
    // Number of a row; it is added if it is new. `row` may lie in `words` itself.
    i32 number_of(const i32* row, u64 length) {
        const u64 hash = hash_of_words(row, length) >> 1;
        if (slots_.count < 2 * (count() + 1)) grow();
        u64 at = hash & (slots_.count - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.count - 1)) {
            const u64 number = slots_[at] - 1;
            const Span<i32> other = (*this)[number];
            if (hashes_[number] == hash && other.count == length &&
                equal_bytes(other.data, row, 4 * length))
                return static_cast<i32>(number);
        }
        if (starts.count == 0) starts.push(0);
        const u64 number = count();
        if (row >= words.begin() && row < words.end()) {
            Vec<i32> copy;
            copy.append(row, length);
            words.append(copy.data, length);
        } else {
            words.append(row, length);
        }
        starts.push(words.count);
        hashes_.push(hash);
        slots_[at] = number + 1;
        return static_cast<i32>(number);
    }

  private:
    Vec<u64> slots_, hashes_;  // slots: number + 1, 0 for none

    void grow() {
        slots_.resize(slots_.count ? 2 * slots_.count : 64);
        for (u64& slot : slots_) slot = 0;
        for (u64 number = 0; number < count(); ++number) {
            u64 at = hashes_[number] & (slots_.count - 1);
            while (slots_[at] != 0) at = (at + 1) & (slots_.count - 1);
            slots_[at] = number + 1;
        }
    }
};

}  // namespace core
