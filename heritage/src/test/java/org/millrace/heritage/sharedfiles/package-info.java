/** Tests of Shared Files. */
@NullMarked
package org.millrace.heritage.sharedfiles;

import org.jspecify.annotations.NullMarked;
