/**
 * A cluster's files as a {@link java.nio.file.FileSystem}: every library that takes a {@link
 * java.nio.file.Path} can use them. A thin layer over {@link org.millrace.files.FileTree}.
 *
 * {@snippet :
 * import java.net.URI;
 * import java.nio.file.FileSystem;
 * import java.nio.file.FileSystems;
 * import java.nio.file.Files;
 * import java.nio.file.Path;
 * import java.util.Map;
 *
 * public final class Letters {
 *   public static void main(String[] args) throws Exception {
 *     Path directory = Files.createTempDirectory("letters");
 *     URI cluster = URI.create("millrace:" + directory);
 *     try (FileSystem files = FileSystems.newFileSystem(cluster, Map.of("nodes", "2"))) {
 *       Path letter = files.getPath("/letters/first");
 *       Files.createDirectories(letter.getParent());
 *       Files.writeString(letter, "Dear reader");
 *       System.out.println(Files.size(letter)); // prints 11
 *       Files.move(letter, letter.resolveSibling("last"));
 *       System.out.println(Files.readString(files.getPath("/letters/last"))); // prints Dear reader
 *     }
 *   }
 * }
 * }
 */
@NullMarked
package org.millrace.nio;

import org.jspecify.annotations.NullMarked;
