package org.millrace.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The other interface of Hadoop, whose renames say why not, and may replace. */
final class FileContextTest {

  private static final Path FOLDER = new Path("/context");
  private static final Path ONE = new Path(FOLDER, "one");
  private static final Path TWO = new Path(FOLDER, "two");

  private FileContext context;

  @BeforeEach
  void open() throws IOException {
    context = FileContext.getFileContext(TestCluster.ROOT, TestCluster.OF_THIS_JVM.configuration());
    context.mkdir(FOLDER, FileContext.DIR_DEFAULT_PERM, true);
  }

  @AfterEach
  void remove() throws IOException {
    context.delete(FOLDER, true);
  }

  private void write(Path path, int bytes) throws IOException {
    try (FSDataOutputStream out =
        context.create(path, EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.createParent())) {
      out.write(new byte[bytes]);
    }
  }

  @Test
  void renamesReplaceOnlyIfAsked() throws IOException {
    write(ONE, 1);
    write(TWO, 2);
    assertThatThrownBy(() -> context.rename(ONE, TWO))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(context.getFileStatus(TWO).getLen()).isEqualTo(2);
    context.rename(ONE, TWO, Options.Rename.OVERWRITE);
    assertThat(context.getFileStatus(TWO).getLen()).isEqualTo(1);
    assertThat(context.util().exists(ONE)).isFalse();
  }

  @Test
  void renamesSayWhyNot() throws IOException {
    assertThatThrownBy(() -> context.rename(ONE, TWO)).isInstanceOf(FileNotFoundException.class);
    write(ONE, 1);
    assertThatThrownBy(() -> context.rename(ONE, ONE, Options.Rename.OVERWRITE))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> context.rename(ONE, new Path(TWO, "x")))
        .isInstanceOf(FileNotFoundException.class);
    context.mkdir(TWO, FileContext.DIR_DEFAULT_PERM, false);
    assertThatThrownBy(() -> context.rename(ONE, TWO, Options.Rename.OVERWRITE))
        .hasMessageContaining("is a directory");
    assertThatThrownBy(() -> context.rename(TWO, ONE, Options.Rename.OVERWRITE))
        .hasMessageContaining("is not a directory");
    assertThatThrownBy(() -> context.rename(TWO, new Path(ONE, "x")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void directoriesTakeThePlaceOfEmptyOnes() throws IOException {
    write(new Path(ONE, "file"), 1);
    context.mkdir(TWO, FileContext.DIR_DEFAULT_PERM, false);
    context.rename(ONE, TWO, Options.Rename.OVERWRITE);
    assertThat(context.util().exists(new Path(TWO, "file"))).isTrue();
    context.mkdir(ONE, FileContext.DIR_DEFAULT_PERM, false);
    assertThatThrownBy(() -> context.rename(ONE, TWO, Options.Rename.OVERWRITE))
        .isInstanceOf(IOException.class);
  }
}
