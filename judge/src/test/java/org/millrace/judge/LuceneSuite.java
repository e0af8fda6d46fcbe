package org.millrace.judge;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakScope;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.apache.lucene.tests.util.LuceneTestCase;
import org.junit.BeforeClass;

/**
 * Lucene's tests of directories, with its own locks of files. Run by {@link LuceneJudgeTest}, which
 * starts the cluster.
 */
@ThreadLeakScope(ThreadLeakScope.Scope.NONE) // the cluster in this JVM makes threads when it likes
public class LuceneSuite extends BaseDirectoryTestCase {

  private static FileSystem cluster = FileSystems.getDefault();

  /** For JUnit, which makes one for each test. */
  public LuceneSuite() {}

  /** Tells on which file system the tests are to run. */
  static void runOn(FileSystem files) {
    cluster = files;
  }

  /**
   * Lets Lucene make its temporary directories on the cluster: tests wrap them and use them without
   * the directory that they test. There is no option for it.
   */
  @BeforeClass
  public static void useTheCluster() throws IOException, ReflectiveOperationException {
    Field rule = LuceneTestCase.class.getDeclaredField("tempFilesCleanupRule");
    rule.setAccessible(true);
    Object cleanup = rule.get(null);
    Field base = cleanup.getClass().getDeclaredField("tempDirBase");
    base.setAccessible(true);
    base.set(cleanup, Files.createDirectories(cluster.getPath("/lucene")));
  }

  @Override
  protected Directory getDirectory(Path path) throws IOException {
    return new NIOFSDirectory(path);
  }
}
