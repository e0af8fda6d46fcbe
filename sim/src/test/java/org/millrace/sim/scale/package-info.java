/** Tests of sizing. */
@NullMarked
package org.millrace.sim.scale;

import org.jspecify.annotations.NullMarked;
