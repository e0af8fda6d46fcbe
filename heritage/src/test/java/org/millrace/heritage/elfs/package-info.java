/** Tests of ELFS's classes. */
@NullMarked
package org.millrace.heritage.elfs;

import org.jspecify.annotations.NullMarked;
