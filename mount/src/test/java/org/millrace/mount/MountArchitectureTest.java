package org.millrace.mount;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** The packages have an order; only the lowest touches the system, and the core is used little. */
final class MountArchitectureTest {

  private static final String ROOT = "org.millrace.";

  /** Low to high: a package may know those before it. */
  private static final List<String> ORDER =
      List.of("mount.system", "mount.fuse", "mount.serve", "mount");

  private static final Set<String> OF_CORE = Set.of("error", "env", "files");

  private static JavaClasses classes() {
    try {
      var place = Mount.class.getProtectionDomain().getCodeSource().getLocation();
      return new ClassFileImporter().importPath(Path.of(place.toURI()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String part(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith(ROOT) ? name.substring(ROOT.length()) : name;
  }

  /** Dependencies, as "package knows class", that a rule is against. */
  private static Set<String> against(BiPredicate<String, JavaClass> bad) {
    Set<String> found = new TreeSet<>();
    for (JavaClass one : classes()) {
      for (var dependency : one.getDirectDependenciesFromSelf()) {
        JavaClass to = dependency.getTargetClass();
        if (bad.test(part(one), to)) {
          found.add(part(one) + " knows " + to.getName());
        }
      }
    }
    return found;
  }

  private static boolean isUpward(List<String> order, String from, JavaClass to) {
    return !part(to).equals(from) && order.indexOf(part(to)) > order.indexOf(from);
  }

  private static boolean isSystem(JavaClass type) {
    return type.getName().startsWith("java.nio.file.Files")
        || type.getName().equals("java.lang.foreign.Linker")
        || type.getName().equals("java.lang.ProcessBuilder");
  }

  @Test
  void noPackageKnowsAHigherOne() {
    assertThat(against((from, to) -> isUpward(ORDER, from, to))).isEmpty();
  }

  @Test
  void anotherOrderIsFoundToBeWrong() {
    assertThat(against((from, to) -> isUpward(ORDER.reversed(), from, to))).isNotEmpty();
  }

  @Test
  void onlyTheLowestPackageTouchesTheSystem() {
    assertThat(against((from, to) -> !from.equals("mount.system") && isSystem(to))).isEmpty();
    assertThat(against((from, to) -> isSystem(to))).isNotEmpty();
  }

  @Test
  void onlyErrorsEnvironmentAndFilesOfTheCoreAreUsed() {
    assertThat(
            against(
                (from, to) ->
                    to.getPackageName().startsWith(ROOT)
                        && !part(to).startsWith("mount")
                        && !OF_CORE.contains(part(to))))
        .isEmpty();
  }
}
