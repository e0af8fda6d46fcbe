/** Types as if in an exported package, whose signatures name what is not exported. */
@NullMarked
package org.millrace.testing.bad.exports;

import org.jspecify.annotations.NullMarked;
