/**
 * How the requests of all ranks become transfers: the planner and its cost model, the plans of each
 * strategy with their chunks and pieces, and their explanation. Pure: views and layout in, plans
 * out; no I/O, no clock, no state. Not exported to programs, which choose by {@link
 * org.millrace.plan.Hints}.
 */
@NullMarked
package org.millrace.plan.collective;

import org.jspecify.annotations.NullMarked;
