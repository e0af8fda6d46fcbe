/** The {@code millrace} command: parses the command line, runs, and turns failures into lines. */
@NullMarked
package org.millrace.cli;

import org.jspecify.annotations.NullMarked;
