package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.Cluster;
import org.millrace.ClusterOptions;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;

/** Every verb takes segments, lists of them, byte arrays and buffers, and moves the same bytes. */
class MemoryFormsTest {

  private static final byte[] TEXT = {1, 2, 3, 4, 5, 6, 7};

  private static List<MemorySegment> pieces(byte[] bytes) {
    MemorySegment all = MemorySegment.ofArray(bytes);
    return List.of(all.asSlice(0, 2), all.asSlice(2, 0), all.asSlice(2));
  }

  private static void in(Program program) throws Exception {
    try (Cluster cluster =
        Cluster.over(
            Env.real(),
            new MemoryDisk("c"),
            List.of(new MemoryDisk("a"), new MemoryDisk("b")),
            ClusterOptions.DEFAULT.withStripeUnitBytes(3).withCacheBytesPerNode(1 << 20))) {
      cluster.run(1, program);
    }
  }

  /** One verb in its four blocking forms. */
  private interface Forms {
    long segment(MemorySegment memory) throws Exception;

    long list(List<MemorySegment> memory) throws Exception;

    long array(byte[] memory) throws Exception;

    long buffer(ByteBuffer memory) throws Exception;
  }

  private static Forms forms(SharedFile f, String verb, boolean write) {
    return new Forms() {
      @Override
      public long segment(MemorySegment m) throws Exception {
        return switch (verb) {
          case "At" -> write ? f.writeAt(0, m) : f.readAt(0, m);
          case "" -> write ? f.write(m) : f.read(m);
          case "Shared" -> write ? f.writeShared(m) : f.readShared(m);
          case "Ordered" -> write ? f.writeOrdered(m) : f.readOrdered(m);
          case "AtAll" -> write ? f.writeAtAll(0, m) : f.readAtAll(0, m);
          default -> write ? f.writeAll(m) : f.readAll(m);
        };
      }

      @Override
      public long list(List<MemorySegment> m) throws Exception {
        return switch (verb) {
          case "At" -> write ? f.writeAt(0, m) : f.readAt(0, m);
          case "" -> write ? f.write(m) : f.read(m);
          case "Shared" -> write ? f.writeShared(m) : f.readShared(m);
          case "Ordered" -> write ? f.writeOrdered(m) : f.readOrdered(m);
          case "AtAll" -> write ? f.writeAtAll(0, m) : f.readAtAll(0, m);
          default -> write ? f.writeAll(m) : f.readAll(m);
        };
      }

      @Override
      public long array(byte[] m) throws Exception {
        return switch (verb) {
          case "At" -> write ? f.writeAt(0, m) : f.readAt(0, m);
          case "" -> write ? f.write(m) : f.read(m);
          case "Shared" -> write ? f.writeShared(m) : f.readShared(m);
          case "Ordered" -> write ? f.writeOrdered(m) : f.readOrdered(m);
          case "AtAll" -> write ? f.writeAtAll(0, m) : f.readAtAll(0, m);
          default -> write ? f.writeAll(m) : f.readAll(m);
        };
      }

      @Override
      public long buffer(ByteBuffer m) throws Exception {
        return switch (verb) {
          case "At" -> write ? f.writeAt(0, m) : f.readAt(0, m);
          case "" -> write ? f.write(m) : f.read(m);
          case "Shared" -> write ? f.writeShared(m) : f.readShared(m);
          case "Ordered" -> write ? f.writeOrdered(m) : f.readOrdered(m);
          case "AtAll" -> write ? f.writeAtAll(0, m) : f.readAtAll(0, m);
          default -> write ? f.writeAll(m) : f.readAll(m);
        };
      }
    };
  }

  private static void rewind(SharedFile file) throws Exception {
    file.seek(0);
    file.seekShared(0);
  }

  @Test
  void everyBlockingVerbTakesEveryForm() throws Exception {
    in(
        rank -> {
          for (String verb : List.of("At", "", "Shared", "Ordered", "AtAll", "All")) {
            try (SharedFile file = rank.open("f" + verb, OpenOptions.create())) {
              Forms write = forms(file, verb, true);
              Forms read = forms(file, verb, false);
              for (int form = 0; form < 4; form++) {
                file.resize(0);
                rewind(file);
                ByteBuffer out = ByteBuffer.wrap(TEXT);
                long written =
                    switch (form) {
                      case 0 -> write.segment(MemorySegment.ofArray(TEXT));
                      case 1 -> write.list(pieces(TEXT));
                      case 2 -> write.array(TEXT);
                      default -> write.buffer(out);
                    };
                assertThat(written).as("%s form %d", verb, form).isEqualTo(TEXT.length);
                rewind(file);
                byte[] got = new byte[TEXT.length + 2];
                ByteBuffer in = ByteBuffer.wrap(got);
                long count =
                    switch (form) {
                      case 0 -> read.segment(MemorySegment.ofArray(got));
                      case 1 -> read.list(pieces(got));
                      case 2 -> read.array(got);
                      default -> read.buffer(in);
                    };
                assertThat(count).as("%s form %d", verb, form).isEqualTo(TEXT.length);
                assertThat(got)
                    .as("%s form %d", verb, form)
                    .containsExactly(1, 2, 3, 4, 5, 6, 7, 0, 0);
                if (form == 3) {
                  assertThat(out.remaining()).isZero();
                  assertThat(in.position()).isEqualTo(TEXT.length);
                }
              }
            }
          }
        });
  }

  @Test
  void everyAsynchronousVerbTakesListsAndArrays() throws Exception {
    in(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            byte[] got = new byte[TEXT.length];
            file.writeAtAsync(0, pieces(TEXT)).get();
            assertThat(file.readAtAsync(0, got).get()).isEqualTo(7L);
            assertThat(got).isEqualTo(TEXT);
            file.writeAsync(TEXT).get();
            file.writeSharedAsync(pieces(TEXT)).get();
            file.writeSharedAsync(TEXT).get();
            file.writeOrderedAsync(pieces(TEXT)).get();
            file.writeOrderedAsync(TEXT).get();
            assertThat(file.sharedPosition()).isEqualTo(4L * TEXT.length);
            file.writeAtAllAsync(28, pieces(TEXT)).get();
            file.writeAtAllAsync(35, TEXT).get();
            file.writeAllAsync(pieces(TEXT)).get();
            file.writeAllAsync(TEXT).get();
            rewind(file);
            for (int i = 0; i < 6; i++) {
              byte[] next = new byte[TEXT.length];
              long count =
                  switch (i) {
                    case 0 -> file.readSharedAsync(next).get();
                    case 1 -> file.readSharedAsync(pieces(next)).get();
                    case 2 -> file.readOrderedAsync(next).get();
                    case 3 -> file.readOrderedAsync(pieces(next)).get();
                    case 4 -> file.readAtAllAsync(28, pieces(next)).get();
                    default -> file.readAtAllAsync(35, next).get();
                  };
              assertThat(count).isEqualTo(7);
              assertThat(next).isEqualTo(TEXT);
            }
            byte[] last = new byte[TEXT.length];
            assertThat(file.readAllAsync(pieces(last)).get()).isEqualTo(7L);
            assertThat(last).isEqualTo(TEXT);
            assertThat(file.readAsync(last).get()).isEqualTo(7L);
            assertThat(file.readAsync(pieces(last)).get()).isEqualTo(7L);
          }
        });
  }
}
