/** Tests of Vesta. */
@NullMarked
package org.millrace.heritage.vesta;

import org.jspecify.annotations.NullMarked;
