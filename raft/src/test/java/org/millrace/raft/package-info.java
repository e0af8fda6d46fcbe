/** Tests of several coordinators. */
@NullMarked
package org.millrace.raft;

import org.jspecify.annotations.NullMarked;
