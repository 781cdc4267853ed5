// The rows and the work on places of the core (kernels/core), for kernels.
//
// How many bytes a row has in Python comes as a define, so that a row which changes on one side
// alone does not compile.
#pragma once
#include "../device.cuh"
#include "../../core/places/places.hpp"

static_assert(sizeof(Place) == PLACE_BYTES && sizeof(Question) == QUESTION_BYTES, "rows");
static_assert(sizeof(Decision) == DECISION_BYTES && sizeof(Tree) == TREE_BYTES, "rows");
static_assert(sizeof(core::Group) == GROUP_BYTES && sizeof(Line) == LINE_BYTES, "rows");
static_assert(sizeof(Variant) == VARIANT_BYTES && sizeof(Entry) == ENTRY_BYTES, "rows");
static_assert(sizeof(Needs) == NEEDS_BYTES && sizeof(Test) == TEST_BYTES, "rows");
static_assert(sizeof(Slot) == SLOT_BYTES && sizeof(Job) == JOB_BYTES, "rows");
static_assert(sizeof(Found) == FOUND_BYTES && sizeof(Program) == PROGRAM_BYTES, "rows");
static_assert(TERMS == TERM_COUNT && core::SET_WORDS == SET_WORD_COUNT && HOLDS == TEST_HOLDS, "numbers");
static_assert(KINDS == QUESTION_KINDS, "kinds of questions");
