/** Tests of Kotz's experiment. */
@NullMarked
package org.millrace.sim.kotz;

import org.jspecify.annotations.NullMarked;
