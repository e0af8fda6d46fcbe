/**
 * The transport seam: requests that are answered, and three one-sided verbs. It knows no request by
 * name; {@code protocol} says what is sent.
 */
@NullMarked
package org.millrace.message;

import org.jspecify.annotations.NullMarked;
