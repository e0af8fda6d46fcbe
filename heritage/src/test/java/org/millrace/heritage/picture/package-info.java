/** Tests of the pictures. */
@NullMarked
package org.millrace.heritage.picture;

import org.jspecify.annotations.NullMarked;
