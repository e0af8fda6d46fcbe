/**
 * Programs that show how Millrace is used, and that {@code millrace run} starts by name. {@link
 * org.millrace.examples.Heat} is the first. They use the public API only and know nothing of the
 * command line.
 */
@NullMarked
package org.millrace.examples;

import org.jspecify.annotations.NullMarked;
