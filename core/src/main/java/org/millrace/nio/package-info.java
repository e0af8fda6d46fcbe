/**
 * A cluster's files as a {@link java.nio.file.FileSystem}: every library that takes a {@link
 * java.nio.file.Path} can use them. A thin layer over {@link org.millrace.files.FileTree}.
 */
@NullMarked
package org.millrace.nio;

import org.jspecify.annotations.NullMarked;
