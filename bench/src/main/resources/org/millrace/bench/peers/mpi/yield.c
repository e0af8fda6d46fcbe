/*
 * yield.c - gives the processor away when MPICH has polled in vain for a while.
 *
 * MPICH over UCX waits by polling and never yields. With more ranks than cores, the rank that is
 * waited for then gets the processor only when the scheduler takes it from one that waits, and
 * every message costs milliseconds. Comparing Millrace with that would be unfair to MPICH.
 *
 * The poll is a call from MPICH's library into UCX's. This file defines a function of the same name;
 * linked into a program with exported symbols (-rdynamic) it is found before UCX's own and calls
 * that. A first few polls in vain stay free of system calls, so that ranks with a core of their own
 * lose nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned (*Poll)(void *worker);

static const int PATIENCE = 4; /* polls in vain before the processor is given away */

unsigned ucp_worker_progress(void *worker)
{
    static Poll poll;
    static int in_vain;

    if (poll == NULL) {
        poll = (Poll)dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (poll == NULL)
            abort(); /* nobody but UCX's user calls this, and then UCX is there */
    }
    unsigned events = poll(worker);
    if (events != 0) {
        in_vain = 0;
    } else if (++in_vain >= PATIENCE) {
        in_vain = 0;
        sched_yield();
    }
    return events;
}
