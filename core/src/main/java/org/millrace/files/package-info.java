/**
 * Files and directories as programs know them that are no ranks: paths, links, attributes, open
 * files, locks of byte ranges. Values and interfaces only; {@code client} implements them, and
 * {@code nio}, the mount and the HTTP server are built on them.
 *
 * {@snippet :
 * import java.lang.foreign.MemorySegment;
 * import java.nio.charset.StandardCharsets;
 * import java.nio.file.Files;
 * import java.nio.file.Path;
 * import java.util.Set;
 * import org.millrace.Cluster;
 * import org.millrace.files.ByteLock;
 * import org.millrace.files.FileHandle;
 * import org.millrace.files.FilePath;
 * import org.millrace.files.FileTree;
 * import org.millrace.files.FileTree.Opening;
 * import org.millrace.files.NewFile;
 *
 * public final class Diary {
 *   public static void main(String[] args) throws Exception {
 *     Path directory = Files.createTempDirectory("diary");
 *     try (Cluster cluster = Cluster.embedded(directory, 2);
 *         FileTree files = cluster.files()) {
 *       files.makeDirectory(FilePath.of("notes"), NewFile.with(0755));
 *       FilePath path = FilePath.of("notes/today");
 *       try (FileHandle today =
 *           files.open(path, Set.of(Opening.WRITE, Opening.CREATE), NewFile.with(0644))) {
 *         ByteLock all = new ByteLock(1, 0, ByteLock.TO_THE_END, ByteLock.Kind.EXCLUSIVE);
 *         System.out.println(today.lock(all, 0)); // prints true
 *         byte[] line = "rain".getBytes(StandardCharsets.UTF_8);
 *         today.append(MemorySegment.ofArray(line));
 *         today.append(MemorySegment.ofArray(line));
 *         today.force(true); // closing alone does not make it durable
 *       }
 *       System.out.println(files.stat(path).size()); // prints 8
 *       System.out.println(files.list(FilePath.of("notes"), "", 100).entries().size()); // prints 1
 *     }
 *   }
 * }
 * }
 */
@NullMarked
package org.millrace.files;

import org.jspecify.annotations.NullMarked;
