package org.millrace.judge;

import static de.pfabulist.lindwurm.niotest.tests.descriptionbuilders.CombinedBuilder.build;

import de.pfabulist.lindwurm.niotest.tests.AllTests;
import de.pfabulist.lindwurm.niotest.tests.FSDescription;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.AfterClass;
import org.junit.BeforeClass;

/** All tests of niotest, on {@link JudgedClusters}. Run by {@link NioJudgeTest}. */
public class NioSuite extends AllTests {

  private static final List<FileSystem> OPEN = new ArrayList<>();
  private static FSDescription description = new FSDescription();

  /** For JUnit, which makes one for each test. */
  public NioSuite() {
    super(description);
  }

  /** Starts the clusters. */
  @BeforeClass
  public static void start() throws IOException {
    description =
        build()
            .playgrounds()
            .std(place("std"))
            .closable(place("closable"))
            .differentProvider(Files.createTempDirectory("niotest").resolve("other"))
            .sameProviderDifferentFileSystem(place("second"))
            .noSizeLimit()
            .noSameFileSystemDifferentStore()
            .next()
            .unix()
            .noPermissionChecks()
            .next()
            .fileStores()
            .noLimitedPlayground()
            .next()
            .pathConstraints()
            .pathLength(4096)
            .next()
            .fsCreation()
            .uri(open -> open.getPath("/").toUri())
            .env(Map.of("nodes", "2"))
            .next()
            .fileChannel()
            .noAsynchronous()
            .next()
            .watchable()
            .delay(5_000)
            .done();
  }

  private static Path place(String name) throws IOException {
    FileSystem made = FileSystems.newFileSystem(JudgedClusters.uri(name), Map.of("nodes", "2"));
    OPEN.add(made);
    return Files.createDirectory(made.getPath("/playground"));
  }

  /** Ends the clusters. */
  @AfterClass
  public static void end() throws IOException {
    for (FileSystem one : OPEN) {
      one.close();
    }
  }
}
