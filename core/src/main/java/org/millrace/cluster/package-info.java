/**
 * Clusters, put together: nodes and a coordinator in one JVM ({@link
 * org.millrace.cluster.EmbeddedConnection}) or reached in other processes ({@link
 * org.millrace.cluster.RemoteConnection}), the directory they live in, and what administrators ask.
 */
@NullMarked
package org.millrace.cluster;

import org.jspecify.annotations.NullMarked;
