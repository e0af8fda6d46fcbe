/**
 * A tree of files in memory, strictly after POSIX: the oracle of the real one, and a fake for tests
 * of what is built on it.
 */
@NullMarked
package org.millrace.testing.files;

import org.jspecify.annotations.NullMarked;
