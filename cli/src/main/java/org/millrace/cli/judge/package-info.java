/**
 * {@code millrace judge}: test suites that others wrote, run on the doors of a cluster. A judge
 * says how each of its tests ended; the command prints that. To add a judge, implement {@link
 * org.millrace.cli.judge.Judge} and name it in {@link org.millrace.cli.judge.Judges}.
 */
@NullMarked
package org.millrace.cli.judge;

import org.jspecify.annotations.NullMarked;
