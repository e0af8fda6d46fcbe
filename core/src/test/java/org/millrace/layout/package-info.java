/** Tests of the striping function, against tables and naive oracles. */
@NullMarked
package org.millrace.layout;

import org.jspecify.annotations.NullMarked;
