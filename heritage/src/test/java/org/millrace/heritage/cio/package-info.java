/** Tests of the Concurrent I/O system. */
@NullMarked
package org.millrace.heritage.cio;

import org.jspecify.annotations.NullMarked;
