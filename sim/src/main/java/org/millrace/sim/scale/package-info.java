/**
 * Sizing: the same work on ever more nodes, by each strategy, in simulated time: what it moves in a
 * second, what it leaves of the processors, how many messages and how much memory it takes, and
 * what it waits for most.
 */
@NullMarked
package org.millrace.sim.scale;

import org.jspecify.annotations.NullMarked;
