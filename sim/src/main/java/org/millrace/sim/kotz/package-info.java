/**
 * The experiment of Kotz and Cai's section 3 again: an application that does nothing but I/O, on
 * nodes whose processors another application would like to compute on; how fast the one is, and how
 * much is left for the other.
 */
@NullMarked
package org.millrace.sim.kotz;

import org.jspecify.annotations.NullMarked;
