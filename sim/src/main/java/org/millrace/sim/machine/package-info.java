/** Simulated machines: processors that are shared, and clusters whose parts run on them. */
@NullMarked
package org.millrace.sim.machine;

import org.jspecify.annotations.NullMarked;
