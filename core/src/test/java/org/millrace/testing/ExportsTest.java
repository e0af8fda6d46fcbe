package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.Millrace;
import org.millrace.testing.bad.exports.Leaking;

/** What programs can reach of the core, by its module descriptor. */
final class ExportsTest {

  private static final String PLANTED = Leaking.class.getPackageName();

  private final Path classes = classes();
  private final ModuleDescriptor module = descriptor(classes);

  @Test
  void packagesExportedToAllAreThoseThatTheArchitectureDocumentNames() throws IOException {
    assertThat(exportedToAll()).isEqualTo(Sources.ofRepository().exportsInArchitectureDocument());
  }

  @Test
  void everyOtherPackageIsExportedToOurOwnModulesOnly() throws IOException {
    Set<String> ours =
        Sources.ofRepository().modules().stream()
            .map(name -> "org.millrace." + name)
            .collect(Collectors.toSet());
    for (Exports one : module.exports()) {
      assertThat(ours).as(one.source()).containsAll(one.targets());
    }
    assertThat(module.opens()).isEmpty();
    assertThat(module.isOpen()).isFalse();
  }

  @Test
  void noPublicSignatureNamesATypeThatProgramsCannotSee() throws IOException {
    Signatures signatures = new Signatures(exportedToAll());
    assertThat(signatures.visibleBelow(classes))
        .contains(Millrace.class)
        .allSatisfy(type -> assertThat(signatures.leaks(type)).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Returns", "Takes", "HasField", "Component", "Bounded", "NamesHidden"})
  void plantedSignatureIsFound(String name) {
    assertThat(new Signatures(Set.of(PLANTED)).leaks(planted(name)))
        .isNotEmpty()
        .allSatisfy(leak -> assertThat(leak).containsAnyOf("PlantedEnv", "Leaking$Hidden"));
  }

  @Test
  void signaturesThatNameOnlyWhatIsExportedPass() {
    assertThat(new Signatures(Set.of(PLANTED)).leaks(planted("Innocent"))).isEmpty();
  }

  private Set<String> exportedToAll() {
    return module.exports().stream()
        .filter(one -> !one.isQualified())
        .map(Exports::source)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Class<?> planted(String name) {
    return Arrays.stream(Leaking.class.getDeclaredClasses())
        .filter(type -> type.getSimpleName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static ModuleDescriptor descriptor(Path classes) {
    try (InputStream in = Files.newInputStream(classes.resolve("module-info.class"))) {
      return ModuleDescriptor.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path classes() {
    try {
      return Path.of(Millrace.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
