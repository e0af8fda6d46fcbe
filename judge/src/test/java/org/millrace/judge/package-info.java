/**
 * Test suites of others, and their libraries, on {@code java.nio.file} of a cluster in this JVM.
 */
@NullMarked
package org.millrace.judge;

import org.jspecify.annotations.NullMarked;
