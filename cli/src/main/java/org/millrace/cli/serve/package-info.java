/** The command that serves a cluster's files over HTTP. */
@NullMarked
package org.millrace.cli.serve;

import org.jspecify.annotations.NullMarked;
