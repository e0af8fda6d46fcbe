/** Tests of the writers. */
@NullMarked
package org.millrace.output;

import org.jspecify.annotations.NullMarked;
