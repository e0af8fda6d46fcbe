/**
 * How results are shown: values as JSON, rows as text tables, numbers as charts, and pages that
 * hold them. Pure text, no I/O; pictures and pages follow the reader's choice of light or dark
 * colours and need no other file.
 */
@NullMarked
package org.millrace.output;

import org.jspecify.annotations.NullMarked;
