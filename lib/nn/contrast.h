// SPDX-License-Identifier: MIT
// Contrastive prediction (van den Oord et al., 2018, equation 4, with products of normed states in the place of a
// bilinear form): each row of one tensor is to find the row of its number of another among all rows of that.
#ifndef GW_NN_CONTRAST_H
#define GW_NN_CONTRAST_H

#include "nn/plan.h"

// loss_i = ln sum_j exp(s_ij) - s_ii,  s_ij = p_i . t_j / sqrt(E);  p, t [rows][E] of two row sets with as many rows. A
// loss for each row of p, whose label is its number.
void gw_plan_contrast_loss(gw_plan *plan, gw_tensor predicted, gw_tensor encoded);

#endif
