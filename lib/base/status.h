// SPDX-License-Identifier: MIT
// Status codes and the one message that goes with a failure.
//
// A library function that can fail returns gw_status. The message is made where the fact is known (file, line or
// record, what was found, what was expected) by gw_fail(), and read by the program through gw_message(). The library
// never prints and never exits. Messages belong to the calling thread.
#ifndef GW_BASE_STATUS_H
#define GW_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    GW_OK = 0,
    GW_ERR_IO = 10,          // cannot open, read, write, rename
    GW_ERR_FORMAT = 20,      // a file is not what its format says
    GW_ERR_MISMATCH = 21,    // two inputs contradict each other (VCF and FASTA, config and weights)
    GW_ERR_RANGE = 22,       // a value outside its allowed range
    GW_ERR_MEMORY = 30,      // out of memory
    GW_ERR_UNSUPPORTED = 40, // understood, but not something this program does
    GW_ERR_USAGE = 41,       // options contradict each other
    GW_ERR_INTERRUPTED = 50, // SIGINT or SIGTERM
    GW_ERR_PIPE = 51,        // nobody reads the pipe that is written to
} gw_status;

#define GW_MUST_CHECK __attribute__((warn_unused_result))
#define GW_PRINTF(string_index, first) __attribute__((format(printf, string_index, first)))

// Sets this thread's message (printf format, no newline at the end) and returns code.
gw_status gw_fail(gw_status code, const char *format, ...) GW_PRINTF(2, 3);

// Puts "<text>: " before this thread's message and returns code: context added on the way up.
gw_status gw_fail_in(gw_status code, const char *format, ...) GW_PRINTF(2, 3);

// The message of this thread's last failure; valid until its next one. Part of the public face: exported.
__attribute__((visibility("default"))) const char *gw_message(void);

// Returns from the calling function where expr fails.
#define GW_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        const gw_status gw_status_ = (expr);                                                                           \
        if (gw_status_ != GW_OK) return gw_status_;                                                                    \
    } while (0)

// Stores the failure in status and jumps to label where expr fails: one exit that frees everything.
#define GW_TRY_GOTO(status, expr, label)                                                                               \
    do {                                                                                                               \
        (status) = (expr);                                                                                             \
        if ((status) != GW_OK) goto label;                                                                             \
    } while (0)

// Keeps a failure that already happened when closing also fails: status = first failure.
static inline gw_status gw_first_failure(gw_status first, gw_status second) {
    return first != GW_OK ? first : second;
}

#ifdef __cplusplus
}
#endif
#endif
