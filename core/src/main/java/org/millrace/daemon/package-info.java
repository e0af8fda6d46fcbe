/** A coordinator or a node as a process of its own: {@link org.millrace.daemon.Server}. */
@NullMarked
package org.millrace.daemon;

import org.jspecify.annotations.NullMarked;
