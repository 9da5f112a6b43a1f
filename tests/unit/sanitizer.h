// SPDX-License-Identifier: MIT
// UNDER_SANITIZER: whether a sanitizer is compiled in, which changes memory and allocations.
#ifndef GW_TESTS_UNIT_SANITIZER_H
#define GW_TESTS_UNIT_SANITIZER_H

#ifdef __has_feature // clang's way to say it
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define UNDER_SANITIZER 1
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

#endif
