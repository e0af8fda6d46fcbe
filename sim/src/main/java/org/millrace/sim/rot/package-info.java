/**
 * The rot campaign: mutations of the files of a small cluster, each followed by a start, and by a
 * look at every name and every byte. {@code docs/testing.md} says what counts as wrong.
 */
@NullMarked
package org.millrace.sim.rot;

import org.jspecify.annotations.NullMarked;
