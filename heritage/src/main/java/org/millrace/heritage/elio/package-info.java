/**
 * ELIO (Elementary I/O, Pacific Northwest National Laboratory, 1996): the device library below
 * Shared Files. A device keeps files at paths; a file is read and written at explicit offsets.
 * {@link org.millrace.heritage.elio.PlainFiles} is the device of file systems that all ranks share;
 * programs may bring others.
 */
@NullMarked
package org.millrace.heritage.elio;

import org.jspecify.annotations.NullMarked;
