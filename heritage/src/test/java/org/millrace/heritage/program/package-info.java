/** Tests of the systems' programs. */
@NullMarked
package org.millrace.heritage.program;

import org.jspecify.annotations.NullMarked;
