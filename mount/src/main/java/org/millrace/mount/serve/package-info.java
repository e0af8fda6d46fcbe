/** Answers the kernel's requests from a {@link org.millrace.files.FileTree}. */
@NullMarked
package org.millrace.mount.serve;

import org.jspecify.annotations.NullMarked;
