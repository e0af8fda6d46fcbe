/** Tests of PASSION's interface. */
@NullMarked
package org.millrace.heritage.passion;

import org.jspecify.annotations.NullMarked;
