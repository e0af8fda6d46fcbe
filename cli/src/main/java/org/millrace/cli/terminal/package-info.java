/**
 * What all commands share at a terminal: exit codes, sizes and times as people write them,
 * progress, the screen, and the files that a report is written to.
 */
@NullMarked
package org.millrace.cli.terminal;

import org.jspecify.annotations.NullMarked;
