// SPDX-License-Identifier: MIT
// The elements of a MATLAB file of version 5 (MathWorks, "MAT-File Format", chapter 1): a tag of type and bytes, then
// the data, in files since version 7 deflated.
#ifndef GW_FILE_MAT_MAT_ELEMENTS_H
#define GW_FILE_MAT_MAT_ELEMENTS_H

#include "base/status.h"

#include <stdint.h>

// Fails where the file ends before an element does, a deflated one is damaged, or an array of numbers has other than as
// many values as its dimensions say: matio takes each as if zeros stood there.
gw_status gw_mat_elements_check(const char *path) GW_MUST_CHECK;

#endif
