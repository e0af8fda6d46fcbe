/**
 * A cluster's files for programs of Hadoop: {@code millrace://} as a {@code FileSystem} and as an
 * {@code AbstractFileSystem}, over {@link org.millrace.files.FileTree}.
 */
@NullMarked
package org.millrace.hadoop;

import org.jspecify.annotations.NullMarked;
