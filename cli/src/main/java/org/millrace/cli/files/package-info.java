/**
 * The commands for files in a cluster: {@code ls}, {@code put}, {@code get}, {@code cat}, {@code
 * stat}, {@code mkdir}, {@code mv}, {@code rm}.
 */
@NullMarked
package org.millrace.cli.files;

import org.jspecify.annotations.NullMarked;
