package org.millrace.heritage.program;

import java.util.List;
import java.util.Optional;

/** The programs of all systems. Stateless. */
public final class HeritagePrograms {

  private static final List<HeritageProgram> ALL =
      List.of(
          new BridgeProgram(),
          new CioProgram(),
          new CrockettProgram(),
          new DioProgram(),
          new EdonioProgram(),
          new ElfsProgram(),
          new KotzProgram(),
          new MpiioProgram(),
          new NcubeProgram(),
          new NxProgram(),
          new PassionProgram(),
          new PfsProgram(),
          new PiofsProgram(),
          new PiousProgram(),
          new SharedFilesProgram(),
          new VestaProgram());

  private HeritagePrograms() {}

  /** All of them, by name. */
  public static List<HeritageProgram> all() {
    return ALL;
  }

  /** The one of a system. */
  public static Optional<HeritageProgram> named(String name) {
    return ALL.stream().filter(program -> program.name().equals(name)).findFirst();
  }
}
