package org.millrace.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Brings the classes of libraries that were compiled for Java 5 into the form of Java 8. The JVM
 * keeps no older ones in an AOT cache, because it verifies them in another way: it read and
 * verified picocli's anew at each start. The launcher runs this on the folder with all jars before
 * it trains. What the classes do stays the same. Stateless.
 */
final class OldClasses {

  /** Classes from Java 6 on say themselves what the JVM verifies. */
  private static final int FIRST_VERIFIED = ClassFile.JAVA_6_VERSION;

  private static final int WANTED = ClassFile.JAVA_8_VERSION;

  private OldClasses() {}

  /** Updates the jars in a folder. */
  public static void main(String[] args) throws IOException {
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(args[0]), "*.jar")) {
      for (Path jar : jars) {
        update(jar);
      }
    }
  }

  /** Updates one jar, if it has old classes. */
  static void update(Path jar) throws IOException {
    try (JarFile from = new JarFile(jar.toFile())) {
      List<JarEntry> entries = from.stream().toList();
      if (!hasOld(from, entries)) {
        return;
      }
      Path updated = jar.resolveSibling(jar.getFileName() + ".updated");
      try {
        write(from, entries, Files.newOutputStream(updated));
        Files.setPosixFilePermissions(updated, Files.getPosixFilePermissions(jar));
        Files.move(updated, jar, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(updated);
      }
    }
  }

  private static boolean hasOld(JarFile jar, List<JarEntry> entries) throws IOException {
    for (JarEntry entry : entries) {
      if (isClass(entry)
          && ClassFile.of().parse(bytes(jar, entry)).majorVersion() < FIRST_VERIFIED) {
        return true;
      }
    }
    return false;
  }

  private static boolean isClass(JarEntry entry) {
    return entry.getName().endsWith(".class") && !entry.getName().endsWith("-info.class");
  }

  private static byte[] bytes(JarFile jar, JarEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  private static void write(JarFile from, List<JarEntry> entries, OutputStream file)
      throws IOException {
    ClassFile classes =
        ClassFile.of(
            ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(wanted -> find(from, wanted))
                    .orElse(
                        ClassHierarchyResolver.ofResourceParsing(
                            ClassLoader.getSystemClassLoader()))));
    try (JarOutputStream to = new JarOutputStream(file)) {
      for (JarEntry entry : entries) {
        byte[] bytes = bytes(from, entry);
        to.putNextEntry(new JarEntry(entry.getName()));
        to.write(isClass(entry) ? update(classes, bytes) : bytes);
        to.closeEntry();
      }
    }
  }

  private static byte[] update(ClassFile classes, byte[] bytes) {
    ClassModel old = classes.parse(bytes);
    if (old.majorVersion() >= FIRST_VERIFIED) {
      return bytes;
    }
    return classes.transformClass(
        old,
        ClassTransform.dropping(element -> element instanceof ClassFileVersion)
            .andThen(ClassTransform.endHandler(made -> made.withVersion(WANTED, 0)))
            .andThen(ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)));
  }

  private static @Nullable InputStream find(JarFile jar, ClassDesc wanted) {
    String name = wanted.descriptorString(); // Lpackage/Name;
    JarEntry entry = jar.getJarEntry(name.substring(1, name.length() - 1) + ".class");
    try {
      return entry == null ? null : jar.getInputStream(entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
