/** Tests of the access algebra against naive, byte-by-byte oracles. */
@NullMarked
package org.millrace.access;

import org.jspecify.annotations.NullMarked;
