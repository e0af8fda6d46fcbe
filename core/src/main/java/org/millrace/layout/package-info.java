/**
 * Where a file's bytes live: file offset to strand and strand offset and back, and the runs of a
 * view that lie on one strand. Pure values; the function is frozen, since files on disk follow it.
 */
@NullMarked
package org.millrace.layout;

import org.jspecify.annotations.NullMarked;
