/**
 * Streams of bytes between processes: sockets, TLS over them, and memory that processes of one host
 * share. The only door to sockets. It knows nothing of messages.
 */
@NullMarked
package org.millrace.wire;

import org.jspecify.annotations.NullMarked;
