/**
 * Campaigns: the real processes of a cluster, real faults (power, disks, networks, signals), and a
 * model that says what must be there afterwards.
 */
@NullMarked
package org.millrace.cli.campaign;

import org.jspecify.annotations.NullMarked;
