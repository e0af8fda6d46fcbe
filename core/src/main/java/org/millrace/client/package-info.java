/**
 * What ranks run: {@link org.millrace.client.Rank} and its group's operations, {@link
 * org.millrace.client.SharedFile}, names and locks. The public API, together with {@code
 * org.millrace.Cluster}.
 */
@NullMarked
package org.millrace.client;

import org.jspecify.annotations.NullMarked;
