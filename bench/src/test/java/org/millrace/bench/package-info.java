/** Tests of the driver; what it measures is no test. */
@NullMarked
package org.millrace.bench;

import org.jspecify.annotations.NullMarked;
