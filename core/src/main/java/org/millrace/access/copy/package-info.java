/**
 * The inner loops that copy what patterns select, between places in memory, and sum up the
 * checksums of parts. Not exported to programs.
 */
@NullMarked
package org.millrace.access.copy;

import org.jspecify.annotations.NullMarked;
