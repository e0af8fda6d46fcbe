/**
 * The protocol that the kernel speaks over {@code /dev/fuse}: operations, structures, flags. Values
 * and offsets; it knows no files.
 */
@NullMarked
package org.millrace.mount.fuse;

import org.jspecify.annotations.NullMarked;
