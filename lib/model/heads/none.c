// SPDX-License-Identifier: MIT
// The bare encoder.
#include "model/head.h"

const gw_head_row gw_head_none = {.suffix = "Model"};
