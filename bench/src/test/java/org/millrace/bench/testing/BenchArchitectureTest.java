package org.millrace.bench.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.millrace.bench.measure.Bench;

/** The packages have an order, so there is no cycle among them. */
final class BenchArchitectureTest {

  private static final String ROOT = "org.millrace.bench.";

  /** Low to high: a package may know those before it. */
  private static final List<String> ORDER =
      List.of("measure", "grid", "micro", "peers", "processes", "papers", "report");

  private static JavaClasses bench() {
    try {
      var place = Bench.class.getProtectionDomain().getCodeSource().getLocation();
      return new ClassFileImporter().importPath(Path.of(place.toURI()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String part(String packageName) {
    return packageName.startsWith(ROOT) ? packageName.substring(ROOT.length()) : packageName;
  }

  /** Dependencies on a package that does not come before the one that has them. */
  private static Set<String> upward(List<String> order) {
    Set<String> found = new TreeSet<>();
    for (var one : bench()) {
      String from = part(one.getPackageName());
      for (var dependency : one.getDirectDependenciesFromSelf()) {
        String to = part(dependency.getTargetClass().getPackageName());
        if (!to.equals(from) && order.indexOf(to) > order.indexOf(from)) {
          found.add(from + " knows " + to);
        }
      }
    }
    return found;
  }

  @Test
  void everyPackageHasAPlaceInTheOrder() {
    Set<String> packages =
        bench().stream().map(one -> part(one.getPackageName())).collect(Collectors.toSet());
    assertThat(packages).containsExactlyInAnyOrderElementsOf(ORDER);
  }

  @Test
  void noPackageKnowsAHigherOne() {
    assertThat(upward(ORDER)).isEmpty();
  }

  @Test
  void anotherOrderIsFoundToBeWrong() {
    assertThat(upward(ORDER.reversed()))
        .contains("report knows papers", "grid knows measure")
        .doesNotContain("measure knows grid");
  }
}
