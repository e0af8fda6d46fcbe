/**
 * How the requests of all ranks become transfers: strategies, file domains, and what each would
 * cost. Pure: views and layout in, plans out; no I/O, no clock, no state.
 */
@NullMarked
package org.millrace.plan;

import org.jspecify.annotations.NullMarked;
