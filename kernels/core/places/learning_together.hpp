// Several threads work out places at once, and each learns what its places miss.
//
// A thread reads the arrays of a program as it found them when it came, or when it learned last. Who
// learns holds the system's lock, writes what is new behind what the others see, and then the number
// that leads to it. A number beyond what a thread sees sends it to the lock, where it looks anew. Memory
// that arrays leave as they grow is given back when the last thread has gone.
#pragma once
#include "learning.hpp"

namespace core {

// Lets another thread go on: the target defines it once.
void yield_thread();

// Has this thread leave memory there instead of giving it back, until it says null: the target does.
void leave_memory(Vec<void*>* left);

// One thread's sides of a bidder, beside others with the same systems.
class SidesTogether final : public Learner {
  public:
    SidesTogether(System* first, System* other) : systems_{first, other} {
        for (i32 side = 0; side < 2; ++side) {
            const Locked locked(*systems_[side]);
            ++systems_[side]->together.threads;
            copies_[side] = systems_[side]->program;
            programs_[side] = &copies_[side];
        }
    }
    ~SidesTogether() {
        for (System* system : systems_) {
            const Locked locked(*system);
            if (--system->together.threads == 0) give_back(system->together.left);
        }
    }
    SidesTogether(const SidesTogether&) = delete;

    const Program* const* programs() const { return programs_; }

    // What cannot be learned is missing; the place is then worked out by one thread, which tells why.
    i32 learn(i32 kind, i64 a, i64 b, i64 c, const Asked& at) override {
        const i32 side = kind == MISS_MOVE ? static_cast<i32>(a) : at.row->length & 1;
        System& system = *systems_[side];
        const Locked locked(system);
        i32 found = system.known(kind, a, b, at);
        if (found == MISSING) {
            leave_memory(&system.together.left);
            found = system.learn(kind, a, b, c, at);
            leave_memory(nullptr);
        }
        copies_[side] = system.program;
        // both sides may be the same system
        if (systems_[0] == systems_[1]) copies_[side ^ 1] = system.program;
        return found;
    }

  private:
    System* systems_[2];
    Program copies_[2];
    const Program* programs_[2];

    struct Locked {
        System& system;

        explicit Locked(System& locked) : system(locked) {
            u32 tries = 0;
            while (__atomic_test_and_set(&system.together.is_locked, __ATOMIC_ACQUIRE))
                if (++tries % 64 == 0) yield_thread();
        }
        ~Locked() { __atomic_clear(&system.together.is_locked, __ATOMIC_RELEASE); }
        Locked(const Locked&) = delete;
    };

    static void give_back(Vec<void*>& left) {
        for (void* memory : left) release(memory, 0);
        left.clear();
    }
};

}  // namespace core
