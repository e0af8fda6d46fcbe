package org.millrace.cli.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.error.NoSuchNameException;

final class TypedPathsTest {

  /** Names without a cluster: directories end in a slash. */
  private record Fake(TreeSet<String> all) implements NameSource {

    static Fake of(String... paths) {
      return new Fake(new TreeSet<>(List.of(paths)));
    }

    @Override
    public List<String> list(String directory) {
      String before = directory.isEmpty() ? "" : directory + "/";
      return all.stream()
          .filter(one -> one.startsWith(before) && one.length() > before.length())
          .map(one -> one.substring(before.length()))
          .filter(one -> one.indexOf('/') < 0 || one.indexOf('/') == one.length() - 1)
          .toList();
    }

    @Override
    public Optional<Boolean> isDirectory(String path) {
      if (path.isEmpty() || all.contains(path + "/")) {
        return Optional.of(true);
      }
      return all.contains(path) ? Optional.of(false) : Optional.empty();
    }
  }

  private static final Fake NAMES =
      Fake.of("a.npy", "b.npy", "d/", "d/c.npy", "d/e/", "d/e/f.npy", "d/x.txt", "odd[1]", ".h");

  private static List<String> expand(String... words) throws IOException {
    return TypedPaths.expand(NAMES, List.of(words));
  }

  @Test
  void patternsBecomeNamesInTheirOrder() throws IOException {
    assertThat(expand("*.npy")).containsExactly("a.npy", "b.npy");
    assertThat(expand("/d/*.npy", "b*")).containsExactly("d/c.npy", "b.npy");
    assertThat(expand("*/*.npy")).containsExactly("d/c.npy");
    assertThat(expand("*/e/f.*")).containsExactly("d/e/f.npy");
    assertThat(expand("*")).containsExactly("a.npy", "b.npy", "d", "odd[1]");
  }

  @Test
  void twoStarsAreAnyDirectories() throws IOException {
    assertThat(expand("**/*.npy"))
        .containsExactlyInAnyOrder("a.npy", "b.npy", "d/c.npy", "d/e/f.npy");
    assertThat(expand("d/**")).containsExactlyInAnyOrder("d/c.npy", "d/x.txt", "d/e/f.npy");
  }

  @Test
  void aSlashBehindMeansDirectories() throws IOException {
    assertThat(expand("*/")).containsExactly("d");
  }

  @Test
  void eachWordCounts() throws IOException {
    assertThat(expand("a.npy", "a*", "b*")).containsExactly("a.npy", "a.npy", "b.npy");
  }

  @Test
  void namesWithoutPatternAreNotLookedFor() throws IOException {
    assertThat(expand("/nothing/of/this/kind/")).containsExactly("nothing/of/this/kind");
    assertThat(expand("odd[1]")).containsExactly("odd[1]");
  }

  @Test
  void whatMatchesNothingIsAnError() {
    assertThatThrownBy(() -> expand("*.zarr"))
        .isInstanceOf(NoSuchNameException.class)
        .hasMessageContaining(FilePaths.shown("*.zarr"));
  }
}
