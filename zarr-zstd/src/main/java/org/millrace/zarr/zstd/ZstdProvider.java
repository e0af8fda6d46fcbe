package org.millrace.zarr.zstd;

import java.util.Set;
import org.millrace.array.zarr.ByteCodec;
import org.millrace.array.zarr.Json;

/** Makes codecs of the name {@code zstd}. Stateless. */
public final class ZstdProvider implements ByteCodec.Provider {

  private static final Set<String> MEMBERS = Set.of("level", "checksum");

  @Override
  public String name() {
    return "zstd";
  }

  /**
   * A codec. Level and checksum are what other programs write by; this library has one level, and
   * always writes a checksum, which every reader may check or skip.
   */
  @Override
  public ByteCodec of(Json.Obj configuration) {
    configuration
        .members()
        .forEach(
            (member, value) -> {
              if (!MEMBERS.contains(member)) {
                throw new IllegalArgumentException(
                    "configuration of \"zstd\" has \"%s\", which is unknown here"
                        .formatted(member));
              }
              boolean right =
                  member.equals("level")
                      ? value instanceof Json.Num number && number.text().matches("-?[0-9]{1,6}")
                      : value instanceof Json.Bool;
              if (!right) {
                throw new IllegalArgumentException(
                    "configuration of \"zstd\": \"%s\" must be a %s, is %s"
                        .formatted(
                            member,
                            member.equals("level") ? "whole number" : "truth value",
                            value));
              }
            });
    return new ZstdCodec();
  }
}
