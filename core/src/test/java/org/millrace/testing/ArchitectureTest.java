package org.millrace.testing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.millrace.env.Env;
import org.millrace.testing.bad.Planted;
import org.millrace.testing.bad.layers.attic.HasNoRow;
import org.millrace.testing.bad.layers.disk.PlantedDisk;
import org.millrace.testing.bad.layers.env.KnowsDisk;
import org.millrace.testing.bad.layers.env.PlantedEnv;

/**
 * The shape of the core: which package may use which, and which one alone touches time, files and
 * sockets. There is no list of exceptions. Each rule is also shown to find a planted violation.
 */
final class ArchitectureTest {

  private static final String PLANTED_ROOT = "org.millrace.testing.bad.layers";

  private static final JavaClasses CORE = importer().importPath(coreClasses());

  private static final Map<String, Supplier<ArchRule>> RULES = rules();

  /** The rule that must find each planted class. */
  private static final Map<String, List<String>> SINS =
      Map.of(
          "threads",
          List.of(
              "NewThread",
              "ThreadByReference",
              "IsThread",
              "VirtualThread",
              "ThreadBuilder",
              "MakesExecutor",
              "CommonPool",
              "AsyncWithoutExecutor",
              "ThenAsyncWithoutExecutor",
              "ParallelCollection",
              "ParallelStream",
              "ParallelSort",
              "ThreadNumber",
              "CleanerThread"),
          "time",
          List.of(
              "NanoTime",
              "CurrentTime",
              "InstantNow",
              "Sleeps",
              "SleepsByUnit",
              "ParksNanos",
              "AwaitsNanos",
              "AwaitsByUnit",
              "PollsWithTimeout",
              "TriesLockWithTimeout",
              "WaitsOnMonitor",
              "RecordsEvent"),
          "chance",
          List.of(
              "HasRandom",
              "HasThreadLocalRandom",
              "MathRandom",
              "RandomId",
              "DefaultGenerator",
              "Shuffles"),
          "files",
          List.of("ReadsFile", "OpensChannel", "OpensStream", "FollowsPath"),
          "sockets",
          List.of("OpensSocket", "OpensSocketChannel"),
          "synchronized methods",
          List.of("SynchronizedMethod"),
          "mutable statics",
          List.of("MutableStatic"),
          "libraries",
          List.of("ForeignLibrary"));

  @Test
  void packagesKnowOnlyWhatTheTableNames() {
    Layers.rule("org.millrace").check(CORE);
  }

  @TestFactory
  Stream<DynamicTest> coreKeepsTheRuleOf() {
    return RULES.entrySet().stream()
        .map(
            rule ->
                DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().get().check(CORE)));
  }

  @Test
  void coreEntersNoMonitor() throws IOException {
    assertThat(Monitors.below(coreClasses())).isEmpty();
  }

  @Test
  void tableInTheArchitectureDocumentIsTheOneThatHolds() throws IOException {
    assertThat(Sources.ofRepository().layersInArchitectureDocument()).isEqualTo(Layers.table());
  }

  @TestFactory
  Stream<DynamicTest> plantedViolationIsFoundBy() {
    return SINS.entrySet().stream()
        .flatMap(
            sins ->
                sins.getValue().stream()
                    .map(
                        sin ->
                            DynamicTest.dynamicTest(
                                sins.getKey() + ": " + sin,
                                () ->
                                    assertThat(complains(sins.getKey(), planted(sin))).isTrue())));
  }

  @Test
  void everyPlantedClassIsUsed() {
    List<String> listed = SINS.values().stream().flatMap(List::stream).toList();
    List<String> others = List.of("SynchronizedBlock", "Innocent");
    assertThat(Arrays.stream(Planted.class.getDeclaredClasses()).map(Class::getSimpleName))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(listed.stream(), others.stream()).toList());
  }

  @Test
  void innocentClassPassesAllRules() {
    for (String rule : RULES.keySet()) {
      assertThat(complains(rule, planted("Innocent"))).as(rule).isFalse();
    }
  }

  @Test
  void plantedMonitorIsFound() throws IOException {
    Path classes = classesOf(Planted.class);
    String name = Planted.class.getName().replace('.', '/');
    assertThat(Monitors.in(classes.resolve(name + "$SynchronizedBlock.class")))
        .containsExactly(name + "$SynchronizedBlock.sin");
    assertThat(Monitors.in(classes.resolve(name + "$Innocent.class"))).isEmpty();
  }

  @Test
  void plantedLookUpwardsIsFound() {
    JavaClasses good = importer().importClasses(PlantedEnv.class, PlantedDisk.class);
    JavaClasses bad =
        importer().importClasses(PlantedEnv.class, PlantedDisk.class, KnowsDisk.class);
    assertThat(Layers.rule(PLANTED_ROOT).evaluate(good).hasViolation()).isFalse();
    assertThat(Layers.rule(PLANTED_ROOT).evaluate(bad).getFailureReport().toString())
        .contains("KnowsDisk", "PlantedDisk");
  }

  @Test
  void plantedPackageWithoutRowIsFound() {
    JavaClasses bad = importer().importClasses(HasNoRow.class);
    assertThat(Layers.rule(PLANTED_ROOT).evaluate(bad).getFailureReport().toString())
        .contains("attic, which has no row");
  }

  private static Map<String, Supplier<ArchRule>> rules() {
    Map<String, Supplier<ArchRule>> rules = new LinkedHashMap<>();
    rules.put("threads", DeterminismRules::threadsOnlyFromEnv);
    rules.put("time", DeterminismRules::timeOnlyFromEnv);
    rules.put("chance", DeterminismRules::chanceOnlyFromEnv);
    rules.put("files", DeterminismRules::filesOnlyInDisk);
    rules.put("sockets", DeterminismRules::socketsOnlyInWire);
    rules.put("synchronized methods", DeterminismRules::noSynchronizedMethods);
    rules.put("mutable statics", DeterminismRules::noMutableStatics);
    rules.put("libraries", DeterminismRules::noLibraries);
    return rules;
  }

  private static boolean complains(String rule, Class<?> type) {
    return requireNonNull(RULES.get(rule), rule)
        .get()
        .evaluate(importer().importClasses(type))
        .hasViolation();
  }

  private static Class<?> planted(String name) {
    return Arrays.stream(Planted.class.getDeclaredClasses())
        .filter(type -> type.getSimpleName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static ClassFileImporter importer() {
    return new ClassFileImporter();
  }

  private static Path coreClasses() {
    return classesOf(Env.class);
  }

  private static Path classesOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
