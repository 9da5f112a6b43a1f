// SPDX-License-Identifier: MIT
// The tape of a run over time: a row a step, the head's cell framed, and from each symbol read an arc up to the moment
// whose node handed it on.
#ifndef GW_THEORY_TURING_PICTURE_H
#define GW_THEORY_TURING_PICTURE_H

#include "tools/theory/turing_machine.h"

// carrier [steps + 1]: as gw_decoder_run leaves it. At most 1,000 steps.
gw_status gw_turing_picture(const char *path, const char *title, const gw_machine *machine, const gw_machine_run *run,
                            const int *input, int64_t input_count, const int64_t *carrier) GW_MUST_CHECK;

#endif
