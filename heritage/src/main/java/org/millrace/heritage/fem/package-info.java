/**
 * The finite-element program of EDONIO's report, which writes the vertices of a grid's elements
 * into one shared file and reads them back, told again for EDONIO, for PFS and for a plain file.
 */
@NullMarked
package org.millrace.heritage.fem;

import org.jspecify.annotations.NullMarked;
