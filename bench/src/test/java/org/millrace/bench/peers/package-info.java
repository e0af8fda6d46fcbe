/** Tests of what is said to MPI-IO and understood of its answers. */
@NullMarked
package org.millrace.bench.peers;

import org.jspecify.annotations.NullMarked;
