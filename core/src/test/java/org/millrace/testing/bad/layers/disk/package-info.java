/** Planted violations: what the rules of {@code ArchitectureTest} must find. Not used otherwise. */
@NullMarked
package org.millrace.testing.bad.layers.disk;

import org.jspecify.annotations.NullMarked;
