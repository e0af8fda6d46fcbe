package org.millrace.heritage.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.heritage.program.HeritagePrograms;

/** Thin packages: they see the core's face only, and each other hardly. */
final class HeritageArchitectureTest {

  private static final String ROOT = "org.millrace.heritage.";

  private static final String[] INSIDES = {
    "org.millrace.cache..",
    "org.millrace.coordinator..",
    "org.millrace.copy..",
    "org.millrace.disk..",
    "org.millrace.message..",
    "org.millrace.node..",
    "org.millrace.protocol..",
    "org.millrace.wire.."
  };

  /** Who may know whom within; programs may know all. */
  private static final Map<String, Set<String>> NEIGHBOURS =
      Map.of(
          "piofs", Set.of("vesta"),
          "fem", Set.of("edonio", "pfs", "nx"),
          "dio", Set.of("elio"),
          "sharedfiles", Set.of("dio", "elio"));

  private static JavaClasses heritage() {
    try {
      var place = HeritagePrograms.class.getProtectionDomain().getCodeSource().getLocation();
      return new ClassFileImporter().importPath(Path.of(place.toURI()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void onlyTheFaceOfTheCoreIsUsed() {
    ArchRule rule = noClasses().should().dependOnClassesThat().resideInAnyPackage(INSIDES);
    rule.check(heritage());
  }

  @Test
  void suchARuleSeesWhoUsesAPackage() {
    ArchRule rule =
        noClasses().should().dependOnClassesThat().resideInAnyPackage("org.millrace.client..");
    assertThatThrownBy(() -> rule.check(heritage())).isInstanceOf(AssertionError.class);
  }

  @Test
  void systemsDoNotLeanOnEachOther() {
    Map<String, Set<String>> leaning = new TreeMap<>();
    for (var one : heritage()) {
      String from = system(one.getPackageName());
      for (var dependency : one.getDirectDependenciesFromSelf()) {
        String to = dependency.getTargetClass().getPackageName();
        if (to.startsWith(ROOT) && !system(to).equals(from)) {
          leaning.computeIfAbsent(from, _ -> new TreeSet<>()).add(system(to));
        }
      }
    }
    assertThat(leaning).containsKey("program");
    leaning.remove("program");
    leaning.forEach(
        (from, to) -> assertThat(NEIGHBOURS.getOrDefault(from, Set.of())).as(from).containsAll(to));
  }

  private static String system(String name) {
    return name.substring(ROOT.length()).replaceAll("\\..*", "");
  }
}
