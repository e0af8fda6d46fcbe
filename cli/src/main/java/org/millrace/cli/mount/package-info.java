/** Commands that mount a cluster's files as a directory of this host. */
@NullMarked
package org.millrace.cli.mount;

import org.jspecify.annotations.NullMarked;
