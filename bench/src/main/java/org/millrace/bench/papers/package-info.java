/**
 * Experiments of the papers, measured again: EDONIO's tables, COLUMBUS, the rates of DIO, and I/O
 * nodes that also compute.
 */
@NullMarked
package org.millrace.bench.papers;

import org.jspecify.annotations.NullMarked;
