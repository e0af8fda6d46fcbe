package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The server never touches files of its host, and knows little of the core. */
final class ServerArchitectureTest {

  private static final String ROOT = "org.millrace.";
  private static final Set<String> KNOWN =
      Set.of("error", "env", "files", "wire", "output", "server");
  private static final List<String> HOST_FILES =
      List.of(
          "java.nio.file.",
          "java.io.File",
          "java.io.RandomAccessFile",
          "java.nio.channels.FileChannel");

  private static JavaClasses classes() {
    try {
      var place = HttpFiles.class.getProtectionDomain().getCodeSource().getLocation();
      return new ClassFileImporter().importPath(Path.of(place.toURI()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Set<String> used(Predicate<JavaClass> which) {
    Set<String> found = new TreeSet<>();
    for (JavaClass one : classes()) {
      for (var dependency : one.getDirectDependenciesFromSelf()) {
        if (which.test(dependency.getTargetClass())) {
          found.add(one.getName() + " knows " + dependency.getTargetClass().getName());
        }
      }
    }
    return found;
  }

  @Test
  void noPathOfARequestCanReachAFileOfThisHost() {
    assertThat(used(type -> HOST_FILES.stream().anyMatch(type.getName()::startsWith))).isEmpty();
  }

  @Test
  void ofTheCoreOnlyErrorsEnvironmentFilesAndKeysAreUsed() {
    assertThat(used(type -> isOurs(type) && !KNOWN.contains(part(type)))).isEmpty();
    assertThat(used(type -> isOurs(type) && part(type).equals("files"))).isNotEmpty();
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith(ROOT);
  }

  private static String part(JavaClass type) {
    return type.getPackageName().substring(ROOT.length());
  }
}
