/**
 * MPI-IO: file access as message passing. A view of a file is made of the same derived datatypes
 * that describe memory, and every access is one of position (explicit offset, individual pointer,
 * shared pointer) by synchronism (blocking, nonblocking, split) by coordination (alone, all ranks
 * together).
 */
@NullMarked
package org.millrace.heritage.mpiio;

import org.jspecify.annotations.NullMarked;
