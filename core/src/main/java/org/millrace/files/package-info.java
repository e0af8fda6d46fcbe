/**
 * Files and directories as programs know them that are no ranks: paths, links, attributes, open
 * files, locks of byte ranges. Values and interfaces only; {@code client} implements them, and
 * {@code nio}, the mount and the HTTP server are built on them.
 */
@NullMarked
package org.millrace.files;

import org.jspecify.annotations.NullMarked;
