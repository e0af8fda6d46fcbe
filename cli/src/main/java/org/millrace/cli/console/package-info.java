/**
 * The command {@code console}: what a cluster does as values for a page ({@code ConsoleValues}), as
 * metrics ({@code ClusterMetrics}), and changes of it. Pages, login and HTTP are in {@code server}.
 */
@NullMarked
package org.millrace.cli.console;

import org.jspecify.annotations.NullMarked;
