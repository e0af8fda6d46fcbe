/**
 * The operating system: calls of the C library, mounting and unmounting, users and groups. No other
 * package here calls native code or reads files.
 */
@NullMarked
package org.millrace.mount.system;

import org.jspecify.annotations.NullMarked;
