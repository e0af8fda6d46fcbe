/**
 * The inner loops: copies between two families of equally spaced runs, and between places in
 * memory.
 */
@NullMarked
package org.millrace.copy;

import org.jspecify.annotations.NullMarked;
