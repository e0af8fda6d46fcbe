/** Simulated disks: how long transfers take, and a disk in memory that takes so long. */
@NullMarked
package org.millrace.sim.disk;

import org.jspecify.annotations.NullMarked;
