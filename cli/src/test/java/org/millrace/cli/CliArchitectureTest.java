package org.millrace.cli;

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

/** The packages have an order, so there is no cycle among them. */
final class CliArchitectureTest {

  private static final String ROOT = "org.millrace.";

  /** Low to high: a package may know those before it. */
  private static final List<String> ORDER =
      List.of(
          "examples",
          "cli.terminal",
          "cli.keys",
          "cli.cluster",
          "cli.tree",
          "cli.doctor",
          "cli.daemons",
          "cli.copy",
          "cli.files",
          "cli.mount",
          "cli.serve",
          "cli.console",
          "cli.pfsd",
          "cli.run",
          "cli.bench",
          "cli.sim",
          "cli.campaign",
          "cli.explain",
          "cli.trace",
          "cli.conformance",
          "cli.judge",
          "cli");

  private static JavaClasses cli() {
    try {
      var place = Main.class.getProtectionDomain().getCodeSource().getLocation();
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
    for (var one : cli()) {
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
        cli().stream().map(one -> part(one.getPackageName())).collect(Collectors.toSet());
    assertThat(packages).containsExactlyInAnyOrderElementsOf(ORDER);
  }

  @Test
  void noPackageKnowsAHigherOne() {
    assertThat(upward(ORDER)).isEmpty();
  }

  @Test
  void anotherOrderIsFoundToBeWrong() {
    assertThat(upward(ORDER.reversed()))
        .contains("cli knows cli.run", "cli.files knows cli.copy")
        .doesNotContain("cli.copy knows cli.files");
  }
}
