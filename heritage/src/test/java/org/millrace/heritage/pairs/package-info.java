/** Every interface reads what every other has written. */
@NullMarked
package org.millrace.heritage.pairs;

import org.jspecify.annotations.NullMarked;
