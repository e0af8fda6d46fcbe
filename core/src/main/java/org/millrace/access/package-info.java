/**
 * Which bytes, in which order: extents, symbolic patterns, views, and the array sections and
 * distributions that become patterns. Pure values; nothing here does I/O, keeps threads or flattens
 * what it describes.
 */
@NullMarked
package org.millrace.access;

import org.jspecify.annotations.NullMarked;
