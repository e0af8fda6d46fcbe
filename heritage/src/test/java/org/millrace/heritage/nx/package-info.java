/** Tests of NX. */
@NullMarked
package org.millrace.heritage.nx;

import org.jspecify.annotations.NullMarked;
