/** Tests of simulated machines. */
@NullMarked
package org.millrace.sim.machine;

import org.jspecify.annotations.NullMarked;
