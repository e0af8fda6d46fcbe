/**
 * {@code millrace run}: built-in examples and users' programs, as threads, as processes, and under
 * a launcher.
 */
@NullMarked
package org.millrace.cli.run;

import org.jspecify.annotations.NullMarked;
