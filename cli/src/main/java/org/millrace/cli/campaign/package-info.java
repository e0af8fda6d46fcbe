/** {@code millrace campaign}: long tests against a bad world that anybody can run. */
@NullMarked
package org.millrace.cli.campaign;

import org.jspecify.annotations.NullMarked;
