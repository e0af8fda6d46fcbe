/**
 * EDONIO, and DONIO before it, gave all processors of an Intel iPSC or Paragon one shared file with
 * a private pointer each, through a disk cache in the processors' combined memory. EDONIO caches a
 * part of the file in blocks of 64 KiB, DONIO the whole of it (D'Azevedo and Romine, 1995).
 */
@NullMarked
package org.millrace.heritage.edonio;

import org.jspecify.annotations.NullMarked;
