package org.millrace.protocol;

import java.util.Optional;
import org.millrace.files.FileStatus;
import org.millrace.layout.Layout;

/**
 * What the coordinator knows of a file or directory. Of a file it knows neither the size, which is
 * 0 here, nor when bytes were read and written. The modification time here is right unless a node
 * has seen a write after {@code modifiedSet}: then the time of the last write is. The same holds
 * for accesses.
 *
 * @param status attributes
 * @param layout of a file, with the nodes that own its strands; empty for all else
 * @param copyEpoch as in {@link CoordinatorReply.Opened}
 * @param accessedSet when the access time was last set by request, in nanoseconds since 1970
 * @param modifiedSet when the modification time was last set by request
 */
public record FileFacts(
    FileStatus status,
    Optional<Layout> layout,
    long copyEpoch,
    long accessedSet,
    long modifiedSet) {}
