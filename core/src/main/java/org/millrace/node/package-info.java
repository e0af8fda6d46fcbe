/** Serves strands: the handlers of a node's requests over its cache and disk. */
@NullMarked
package org.millrace.node;

import org.jspecify.annotations.NullMarked;
