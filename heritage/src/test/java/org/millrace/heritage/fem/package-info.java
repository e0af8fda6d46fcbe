/** Tests of the finite-element program. */
@NullMarked
package org.millrace.heritage.fem;

import org.jspecify.annotations.NullMarked;
