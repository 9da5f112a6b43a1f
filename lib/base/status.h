// SPDX-License-Identifier: MIT
// Status codes and the one message that goes with a failure.
//
// A library function that can fail returns gw_status. The code that finds a fault sets the message with gw_fail():
// file, line or record, what was found, and what was expected. The program reads the message with gw_message(). The
// library never prints and never exits. Messages belong to the calling thread.
#ifndef GW_BASE_STATUS_H
#define GW_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    GW_OK = 0,
    GW_ERR_IO = 10,          // cannot open, read, write, rename
    GW_ERR_FORMAT = 20,      // a file contradicts its format
    GW_ERR_MISMATCH = 21,    // two inputs contradict each other (VCF and FASTA, config and weights)
    GW_ERR_RANGE = 22,       // a value outside its allowed range
    GW_ERR_MEMORY = 30,      // out of memory
    GW_ERR_UNSUPPORTED = 40, // valid, but this program cannot do it
    GW_ERR_USAGE = 41,       // options contradict each other
    GW_ERR_INTERRUPTED = 50, // SIGINT or SIGTERM
    GW_ERR_PIPE = 51,        // the reader of the output pipe is gone
} gw_status;

#define GW_MUST_CHECK __attribute__((warn_unused_result))
#define GW_PRINTF(string_index, first) __attribute__((format(printf, string_index, first)))

// Sets this thread's message (printf format, no newline at the end) and returns code.
gw_status gw_fail(gw_status code, const char *format, ...) GW_PRINTF(2, 3);

// Puts "<text>: " before this thread's message and returns code. Callers add context this way.
gw_status gw_fail_in(gw_status code, const char *format, ...) GW_PRINTF(2, 3);

// The message of this thread's last failure. The text is valid until this thread's next failure. Exported by the shared
// library.
__attribute__((visibility("default"))) const char *gw_message(void);

// Returns the failure of expr from the calling function.
#define GW_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        const gw_status gw_status_ = (expr);                                                                           \
        if (gw_status_ != GW_OK) return gw_status_;                                                                    \
    } while (0)

// If expr fails, stores the failure in status and jumps to label, where one exit frees everything.
#define GW_TRY_GOTO(status, expr, label)                                                                               \
    do {                                                                                                               \
        (status) = (expr);                                                                                             \
        if ((status) != GW_OK) goto label;                                                                             \
    } while (0)

// Returns the first failure of two, for example when closing fails after an earlier failure.
static inline gw_status gw_first_failure(gw_status first, gw_status second) {
    return first != GW_OK ? first : second;
}

#ifdef __cplusplus
}
#endif
#endif
