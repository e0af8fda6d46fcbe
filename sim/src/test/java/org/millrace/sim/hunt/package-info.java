/** Tests of the hunt: that it finds what is planted, and is the same twice. */
@NullMarked
package org.millrace.sim.hunt;

import org.jspecify.annotations.NullMarked;
