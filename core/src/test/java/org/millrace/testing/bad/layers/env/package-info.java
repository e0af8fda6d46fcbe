/** Planted violations: what the rules of {@code ArchitectureTest} must find. Not used otherwise. */
@NullMarked
package org.millrace.testing.bad.layers.env;

import org.jspecify.annotations.NullMarked;
