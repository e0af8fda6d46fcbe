package org.millrace.protocol;

import java.util.Optional;
import org.millrace.files.FileStatus;
import org.millrace.layout.Layout;

/**
 * What the coordinator knows of a file or directory. Of a file it knows neither the size, which is
 * 0 here, nor when bytes were written. The modification time here is the one that was set last, or
 * that at which the file was made. It is right unless bytes were written since: then the time of
 * the last write is. Clocks of several nodes cannot tell which came first, so a witness does: the
 * sum of the times at which the strands were modified, as they were when the time was set. A write
 * always changes that sum.
 *
 * @param status attributes
 * @param layout of a file, with the nodes that own its strands; empty for all else
 * @param copyEpoch as in {@link CoordinatorReply.Opened}
 * @param witness the sum, which may overflow, of the {@link StrandStatus#modified} of all strands
 *     when the modification time was set; 0 for a file that was made and not set since
 */
public record FileFacts(FileStatus status, Optional<Layout> layout, long copyEpoch, long witness) {}
