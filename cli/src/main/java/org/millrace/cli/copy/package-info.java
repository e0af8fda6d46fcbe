/**
 * Moves bytes between a cluster and files of this host, several parts at a time, whole or not at
 * all.
 */
@NullMarked
package org.millrace.cli.copy;

import org.jspecify.annotations.NullMarked;
