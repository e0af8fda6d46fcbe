package org.millrace.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What Lucene's tests of directories say about the provider of {@code java.nio.file}. */
final class LuceneJudgeTest {

  @Test
  void everyTestPasses() throws IOException {
    ForeignSuite suite = new ForeignSuite(Map.of());
    try (FileSystem files =
        FileSystems.newFileSystem(JudgedClusters.uri("lucene"), Map.of("nodes", "2"))) {
      LuceneSuite.runOn(files);
      suite.run(LuceneSuite.class);
    }
    suite.write(Path.of(System.getProperty("millrace.judges"), "lucene.tsv"));
    assertThat(suite.unexpected()).isEmpty();
    assertThat(suite.passed()).isGreaterThan(45L);
  }
}
