/** Planted violations: what the rules of {@code ArchitectureTest} must find. Not used otherwise. */
@NullMarked
package org.millrace.testing.bad;

import org.jspecify.annotations.NullMarked;
