/**
 * PIOUS (Emory University, 1993-95) brought parallel files to clusters of workstations that ran
 * PVM: a file is a fixed number of segments on as many machines, seen as segments or as one
 * sequence of bytes. Accesses are atomic, and several of them can be one transaction.
 */
@NullMarked
package org.millrace.heritage.pious;

import org.jspecify.annotations.NullMarked;
