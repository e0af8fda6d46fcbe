/**
 * The only door to time, threads and chance. Real life and simulation implement {@link
 * org.millrace.env.Env}; all other packages ask it.
 */
@NullMarked
package org.millrace.env;

import org.jspecify.annotations.NullMarked;
