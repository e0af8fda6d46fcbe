/** The inner loops: copies between two families of equally spaced runs. Knows the JDK alone. */
@NullMarked
package org.millrace.copy;

import org.jspecify.annotations.NullMarked;
