package org.millrace.mount.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.files.FileHandle;
import org.millrace.mount.serve.KernelPages.Use;
import org.millrace.testing.Seeds;

/** Which open files go through the kernel's page cache, without a kernel. */
final class KernelPagesTest {

  private static final long FILE = 5;

  private final KernelPages pages = KernelPages.delegated(Env.real(), _ -> {});

  KernelPagesTest() {
    pages.mapsDirect(true);
  }

  private static FileHandle handle(long id, boolean delegated) {
    return (FileHandle)
        Proxy.newProxyInstance(
            FileHandle.class.getClassLoader(),
            new Class<?>[] {FileHandle.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "id" -> id;
                  case "isDelegated" -> delegated;
                  default -> throw new IOException("not to be called: " + method);
                });
  }

  private OpenFile open(Use use) {
    return pages.opened(handle(FILE, true), use);
  }

  @Test
  void aFileThatIsOpenedForWritingAloneGoesPastTheCache() {
    assertThat(open(Use.WRITES).isCached()).isFalse();
  }

  @Test
  void aReaderGoesThroughTheCacheAndAWriterBesideItToo() {
    OpenFile reader = open(Use.READS);
    OpenFile writer = open(Use.WRITES);
    assertThat(reader.isCached()).isTrue();
    assertThat(writer.isCached()).isTrue();
    pages.closed(reader);
    assertThat(open(Use.WRITES).isCached()).as("beside a writer through the cache").isTrue();
  }

  @Test
  void whoReadsBesideAWriterGoesPastTheCacheUntilTheWriterHasClosed() {
    OpenFile writer = open(Use.WRITES);
    OpenFile beside = open(Use.READS);
    assertThat(beside.isCached()).isFalse();
    assertThat(pages.opened(handle(FILE + 1, true), Use.READS).isCached()).as("another").isTrue();
    pages.closed(writer);
    assertThat(open(Use.READS).isCached()).isTrue();
    assertThat(open(Use.WRITES).isCached()).as("beside a reader").isTrue();
  }

  @Test
  void aWriterCountsAlsoWhereOthersHadTheFileOpenBefore() {
    OpenFile writer = pages.opened(handle(FILE, false), Use.WRITES);
    assertThat(open(Use.READS).isCached()).isFalse();
    pages.closed(writer);
    assertThat(open(Use.READS).isCached()).isTrue();
  }

  @Test
  void whereSuchFilesCannotBeMappedAllGoThroughTheCache() {
    pages.mapsDirect(false);
    assertThat(open(Use.WRITES).isCached()).isTrue();
    assertThat(open(Use.READS).isCached()).isTrue();
  }

  @Test
  void filesThatAreAlwaysKeptOrNeverStayAsTheyAre() {
    KernelPages always = KernelPages.always(Env.real());
    always.mapsDirect(true);
    assertThat(always.opened(handle(FILE, false), Use.WRITES).isCached()).isTrue();
    assertThat(always.opened(handle(FILE, false), Use.APPENDS).isCached()).isFalse();
    KernelPages never = KernelPages.never(Env.real());
    assertThat(never.opened(handle(FILE, true), Use.READS).isCached()).isFalse();
  }

  @Test
  void nobodyReadsThroughTheCacheWhatIsWrittenPastIt() {
    for (long seed : Seeds.of(200)) {
      assertThat(haveMet(seed, Use.WRITES)).as(Seeds.replay(seed)).isFalse();
    }
  }

  /** The control: files that are appended to are not subject to the rule. */
  @Test
  void bothAreSeenToMeetWithoutTheRule() {
    List<Boolean> met = new ArrayList<>();
    for (long seed : Seeds.of(200)) {
      met.add(haveMet(seed, Use.APPENDS));
    }
    assertThat(met).contains(true);
  }

  /** Whether a file was open through the cache, and at the same time to be written past it. */
  private boolean haveMet(long seed, Use writing) {
    Random random = new Random(seed);
    List<OpenFile> readers = new ArrayList<>();
    List<OpenFile> writers = new ArrayList<>();
    boolean met = false;
    for (int i = 0; i < 50; i++) {
      boolean reads = random.nextBoolean();
      List<OpenFile> some = reads ? readers : writers;
      if (!some.isEmpty() && random.nextInt(3) > 0) {
        pages.closed(some.remove(random.nextInt(some.size())));
      } else {
        some.add(open(reads ? Use.READS : writing));
      }
      boolean cached = readers.stream().anyMatch(OpenFile::isCached);
      met |= cached && !writers.stream().allMatch(OpenFile::isCached);
    }
    readers.forEach(pages::closed);
    writers.forEach(pages::closed);
    return met;
  }
}
