/** Tests of simulated disks. */
@NullMarked
package org.millrace.sim.disk;

import org.jspecify.annotations.NullMarked;
