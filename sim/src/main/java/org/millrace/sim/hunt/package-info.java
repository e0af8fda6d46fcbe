/**
 * The hunt for bugs: random programs by several ranks against the real coordinator, nodes and
 * transport, each in a simulated process of its own, under faults that a seed draws; and checkers
 * that look from outside at what the programs saw.
 */
@NullMarked
package org.millrace.sim.hunt;

import org.jspecify.annotations.NullMarked;
