/**
 * PASSION, the runtime library of Syracuse University for arrays that do not fit into memory:
 * sections of an array in a file are named by bounds and strides, and the library finds a good way
 * to move them. Three ways to place an array (local array files, one global array file, partitions
 * that fit into memory) and the Direct, Two-Phase and Extended Two-Phase methods, over {@code
 * org.millrace.array}.
 */
@NullMarked
package org.millrace.heritage.passion;

import org.jspecify.annotations.NullMarked;
