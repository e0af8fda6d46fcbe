/**
 * Intel's PFS and the library that brought it to clusters of workstations, PFSLib: C calls on
 * descriptors, six I/O modes that say where an access goes and who waits for whom, asynchronous
 * calls with identifiers, errors as numbers. The modes are the core's own; what is here is the
 * table of descriptors, the names and the errors.
 */
@NullMarked
package org.millrace.heritage.pfs;

import org.jspecify.annotations.NullMarked;
