/**
 * Programs that show how Millrace is used, and that {@code millrace run} starts by name. {@link
 * org.millrace.examples.Heat} is the first, {@link org.millrace.examples.Matmul} the second. They
 * use the public API only and know nothing of the command line.
 */
@NullMarked
package org.millrace.examples;

import org.jspecify.annotations.NullMarked;
