/** What tests of all packages share. */
@NullMarked
package org.millrace.heritage.testing;

import org.jspecify.annotations.NullMarked;
