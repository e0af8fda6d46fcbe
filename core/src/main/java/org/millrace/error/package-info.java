/**
 * The closed list of what can go wrong: one small hierarchy of {@link java.io.IOException}s, each
 * with a code that also travels in messages.
 */
@NullMarked
package org.millrace.error;

import org.jspecify.annotations.NullMarked;
