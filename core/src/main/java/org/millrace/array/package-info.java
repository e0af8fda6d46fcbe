/**
 * Out-of-core arrays in shared files: PASSION's three models of placing them, sections and
 * distributions that move between files and memory of any shape, prefetch and reuse. A global array
 * is a {@code .npy} file that NumPy reads. Everything here is made of {@code client}'s public
 * verbs.
 */
@NullMarked
package org.millrace.array;

import org.jspecify.annotations.NullMarked;
