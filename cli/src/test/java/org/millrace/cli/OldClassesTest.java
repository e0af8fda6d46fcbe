package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class OldClassesTest {

  @TempDir private Path folder;

  private Path library() throws IOException, URISyntaxException {
    Path jar =
        Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Files.copy(jar, folder.resolve("library.jar"));
  }

  private static Map<String, Integer> versions(Path jar) throws IOException {
    Map<String, Integer> versions = new TreeMap<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : file.stream().toList()) {
        try (InputStream in = file.getInputStream(entry)) {
          if (entry.getName().endsWith(".class")) {
            versions.put(entry.getName(), ClassFile.of().parse(in.readAllBytes()).majorVersion());
          } else {
            versions.put(entry.getName(), 0);
          }
        }
      }
    }
    return versions;
  }

  @Test
  void afterAnUpdateNoClassIsTooOldForAnAotCacheAndNoneIsMissing() throws Exception {
    Path jar = library();
    Map<String, Integer> before = versions(jar);
    OldClasses.main(new String[] {folder.toString()});
    Map<String, Integer> after = versions(jar);
    assertThat(before.values()).contains(ClassFile.JAVA_5_VERSION);
    assertThat(after.keySet()).isEqualTo(before.keySet());
    assertThat(after.values()).doesNotContain(ClassFile.JAVA_5_VERSION);
  }

  @Test
  void updatedClassesAreVerifiedByTheJvmAndWork() throws Exception {
    Path jar = library();
    OldClasses.update(jar);
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      for (String name : versions(jar).keySet()) {
        if (name.endsWith(".class") && !name.contains("-info") && !name.contains("groovy")) {
          String plain = name.substring(0, name.length() - 6).replace('/', '.');
          assertThat(Class.forName(plain, true, loader)).isNotNull(); // true: it is verified
        }
      }
      Class<?> ansi = Class.forName("picocli.CommandLine$Help$Ansi", true, loader);
      Method valueOf = ansi.getMethod("valueOf", String.class);
      assertThat(valueOf.invoke(null, "OFF")).hasToString("OFF");
    }
  }

  @Test
  void aJarWithoutOldClassesStaysAsItIs() throws Exception {
    Path jar = library();
    OldClasses.update(jar);
    byte[] once = Files.readAllBytes(jar);
    OldClasses.update(jar);
    assertThat(Files.readAllBytes(jar)).isEqualTo(once);
  }
}
