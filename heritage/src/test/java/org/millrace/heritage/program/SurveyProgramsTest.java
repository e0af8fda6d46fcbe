package org.millrace.heritage.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/**
 * The programs of the survey's systems with numbers of ranks that divide nothing: all checks hold,
 * and no picture leaves a rank out.
 */
final class SurveyProgramsTest {

  @TempDir private Path directory;

  /** What rank 0 has printed: the lines, and the rows of each picture by its title. */
  private static final class Printed implements Stage.Output {

    private final List<String> lines = new ArrayList<>();
    private final Map<String, List<String>> pictures = new LinkedHashMap<>();

    @Override
    public void line(String text) {
      lines.add(text);
    }

    /** Comes after its lines. */
    @Override
    public void picture(String title, String svg) {
      List<String> rows = new ArrayList<>();
      for (String line : lines.subList(lines.lastIndexOf(title + ":") + 1, lines.size())) {
        rows.add(line.strip());
      }
      pictures.put(title, rows);
    }
  }

  private Printed run(String name, int ranks) throws IOException {
    Printed printed = new Printed();
    HeritageProgram program = HeritagePrograms.named(name).orElseThrow();
    Programs.run(
        directory.resolve(name + ranks),
        ranks,
        2,
        rank -> {
          Stage stage = new Stage(rank, rank.number() == 0 ? printed : new Printed());
          program.run(rank, stage);
          assertThat(stage.checks()).isPositive();
          assertThat(left(rank)).isEmpty(); // it removes what it has made
        });
    return printed;
  }

  private static List<String> left(Rank rank) throws IOException {
    rank.barrier();
    List<String> names = rank.names().list("");
    rank.barrier();
    return names;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void everyProgramShowsEveryRank(int ranks) throws IOException {
    for (String name : List.of("bridge", "cio", "crockett", "ncube", "elfs", "kotz")) {
      Printed printed = run(name, ranks);
      printed.pictures.forEach(
          (title, rows) -> {
            String all = String.join("", rows);
            boolean one = title.equals("sequential") || title.startsWith("columns");
            boolean shared = title.startsWith("self-scheduled");
            for (int r = 0; !one && !shared && r < ranks; r++) {
              assertThat(all).as("%s: %s", name, title).contains("" + r);
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void theShapesAreNotOneAnother(int ranks) throws IOException {
    Map<String, List<String>> ncube = run("ncube", ranks).pictures;
    assertThat(ncube.values()).doesNotHaveDuplicates().hasSize(5);
    List<String> blocks =
        ncube.entrySet().stream()
            .filter(one -> one.getKey().startsWith("BLOCK"))
            .findFirst()
            .orElseThrow()
            .getValue();
    assertThat(blocks.getFirst()).contains("0").contains("1"); // not whole rows
    assertThat(blocks.getFirst()).isNotEqualTo(blocks.getLast()); // nor whole columns
    Map<String, List<String>> bridge = run("bridge", ranks).pictures;
    assertThat(bridge.values()).doesNotHaveDuplicates().hasSize(2); // no process is a column
  }
}
