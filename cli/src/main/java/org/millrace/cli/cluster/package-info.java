/**
 * Which cluster a command is about, and what is shown of it: {@code status}, {@code top}, {@code
 * df}, {@code reset}.
 */
@NullMarked
package org.millrace.cli.cluster;

import org.jspecify.annotations.NullMarked;
