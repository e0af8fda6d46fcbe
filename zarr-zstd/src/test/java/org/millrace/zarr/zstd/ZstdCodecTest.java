package org.millrace.zarr.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.zarr.Codecs;
import org.millrace.array.zarr.Json;
import org.millrace.array.zarr.ZarrMetadata;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

/** The codec zstd: found by its name, there and back, and against a frame made by others. */
final class ZstdCodecTest {

  @Test
  void codecIsFoundByItsName() {
    ZarrMetadata metadata =
        ZarrMetadata.chunked(Shape.rowMajor(8), ElementType.INT32, 4).with(Codecs.zstd(3));
    assertThat(ZarrMetadata.parse(metadata.toString())).isEqualTo(metadata);
  }

  @Test
  void seededBytesComeBack() throws Exception {
    for (long seed : Seeds.of(50)) {
      Random random = new Random(seed);
      byte[] bytes = new byte[random.nextInt(20_000)];
      int kinds = 1 + random.nextInt(256);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) random.nextInt(kinds);
      }
      ZstdCodec codec = new ZstdCodec();
      assertThat(codec.decode(codec.encode(bytes), bytes.length))
          .as(Seeds.replay(seed))
          .isEqualTo(bytes);
    }
  }

  /** As numcodecs for JavaScript, the reference implementation compiled, writes it. */
  @Test
  void frameOfTheReferenceImplementationIsRead() throws Exception {
    byte[] frame = HexFormat.of().parseHex("28b52ffd201a7d0000486d696c6c726163652001009ccb11");
    assertThat(
            new String(new ZstdCodec().decode(frame, 100), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("millrace millrace millrace");
  }

  @Test
  void damageAndExcessAreErrors() {
    ZstdCodec codec = new ZstdCodec();
    byte[] stored = codec.encode(new byte[1000]);
    assertThatThrownBy(() -> codec.decode(stored, 999)).isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> codec.decode(Arrays.copyOf(stored, stored.length - 5), 1000))
        .isInstanceOf(MillraceException.class);
    assertThatThrownBy(
            () -> codec.decode("no frame".getBytes(java.nio.charset.StandardCharsets.UTF_8), 1000))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("zstd");
  }

  @Test
  void wrongConfigurationIsNamed() {
    ZstdProvider provider = new ZstdProvider();
    assertThatThrownBy(() -> provider.of(Json.Obj.EMPTY.with("level", Json.Bool.TRUE)))
        .hasMessageContaining("\"level\" must be a whole number");
    assertThatThrownBy(() -> provider.of(Json.Obj.EMPTY.with("window", new Json.Num(3))))
        .hasMessageContaining("\"window\"");
  }
}
