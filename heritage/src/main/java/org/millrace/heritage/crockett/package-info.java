/**
 * Crockett's file concepts for parallel I/O: files of equal records in blocks, which one program
 * sees as a plain file and the processes of another as parts, by one of six access patterns.
 */
@NullMarked
package org.millrace.heritage.crockett;

import org.jspecify.annotations.NullMarked;
