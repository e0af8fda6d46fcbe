/**
 * How code that assembles clusters makes ranks. Programs get theirs from it and do not see this.
 */
@NullMarked
package org.millrace.client.assembly;

import org.jspecify.annotations.NullMarked;
