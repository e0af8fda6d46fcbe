/**
 * Thakur and Choudhary's experiments: sections and distributions of an array in one file, read by
 * the direct, the two-phase and the extended two-phase method on a model of the Intel Touchstone
 * Delta, beside the seconds that they printed.
 */
@NullMarked
package org.millrace.sim.passion;

import org.jspecify.annotations.NullMarked;
