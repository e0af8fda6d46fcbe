/** Tests of Distant I/O. */
@NullMarked
package org.millrace.heritage.dio;

import org.jspecify.annotations.NullMarked;
