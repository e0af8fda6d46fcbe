/**
 * A tree of files as a directory of Linux. {@link org.millrace.mount.Mount} is where to start;
 * {@code docs/mount.md} says what programs see.
 */
@NullMarked
package org.millrace.mount;

import org.jspecify.annotations.NullMarked;
