/**
 * The accesses of all ranks of a group in one value: run-length encoded, or as a digest that does
 * not grow with the group. Not exported to programs.
 */
@NullMarked
package org.millrace.access.group;

import org.jspecify.annotations.NullMarked;
