// SPDX-License-Identifier: MIT
// The work of a plan's steps, counted: bytes that move between memory and the processor or device, and products.
//
// Bytes are those of arrays that are larger than a cache: tensors, their gradients, rounded copies of them that an op
// writes and reads, and weights, each as often as an op walks through it. A kernel that takes a tile again while it is
// in a cache moves it once. Rows are as many as the plan has room for.
#ifndef GW_NN_WORK_H
#define GW_NN_WORK_H

#include "nn/plan.h"

typedef struct {
    double tensors, weights; // bytes
    double products;         // multiply-adds
} gw_work;

// Of the backward pass: what is zeroed and what runs again, too.
typedef struct {
    gw_work forward, backward;
} gw_work_sum;

// The work of a placed plan's steps from the first of a segment (1: the first one) up to the first of the next.
gw_status gw_plan_work(const gw_plan *plan, int segment, gw_work_sum *out) GW_MUST_CHECK;
// Appends a line for each step: its number, ops, inputs and outputs as tensor[rows][width]:type, in training with the
// type of their gradients behind it (:type), and tab-separated the work of the forward pass, in training that of the
// backward pass.
gw_status gw_plan_print(const gw_plan *plan, gw_string *out) GW_MUST_CHECK;

#endif
