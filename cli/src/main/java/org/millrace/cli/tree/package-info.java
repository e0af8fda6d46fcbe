/**
 * Names of a cluster's files as people type them: patterns such as {@code 'dir/*.npy'}, directories
 * with all that is in them, and changes of modes.
 */
@NullMarked
package org.millrace.cli.tree;

import org.jspecify.annotations.NullMarked;
