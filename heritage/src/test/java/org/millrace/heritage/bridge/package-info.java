/** Tests of Bridge. */
@NullMarked
package org.millrace.heritage.bridge;

import org.jspecify.annotations.NullMarked;
