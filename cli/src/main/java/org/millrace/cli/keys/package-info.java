/** {@code millrace keys}: makes and shows the keys for {@code tls:} addresses. */
@NullMarked
package org.millrace.cli.keys;

import org.jspecify.annotations.NullMarked;
