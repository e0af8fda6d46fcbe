/**
 * Where a file's bytes live.
 *
 * <p>A file is striped over <em>strands</em>, one on each node that it uses: a stripe unit of bytes
 * goes to the first strand, the next one to the second, and so on round all of them. A {@link
 * org.millrace.layout.Layout} computes from an offset in the file the strand and the offset there,
 * and back. The function is frozen, because files on disks follow it.
 *
 * {@snippet :
 * import org.millrace.layout.Layout;
 *
 * public final class WhereBytesAre {
 *   public static void main(String[] args) {
 *     Layout layout = Layout.striped(65536, 4); // stripe units of 64 KiB on four nodes
 *     System.out.println(layout.strandOf(200_000)); // prints 3
 *     System.out.println(layout.strandOffset(300_000)); // prints 103392
 *     System.out.println(layout.fileOffset(0, 103_392)); // prints 300000
 *   }
 * }
 * }
 *
 * <p>{@link org.millrace.client.SharedFile#layout} gives that of an open file, {@link
 * org.millrace.client.FileNames#stat} a {@link org.millrace.layout.FileEntry} with the layout of
 * any file. {@link org.millrace.client.OpenOptions} choose stripe unit, strands and block size of a
 * new one.
 */
@NullMarked
package org.millrace.layout;

import org.jspecify.annotations.NullMarked;
