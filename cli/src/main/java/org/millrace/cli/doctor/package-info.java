/** {@code millrace doctor}: whether this machine has what Millrace needs, and what to change. */
@NullMarked
package org.millrace.cli.doctor;

import org.jspecify.annotations.NullMarked;
