/** A program for each system that shows what it was, and checks what it shows. */
@NullMarked
package org.millrace.heritage.program;

import org.jspecify.annotations.NullMarked;
