package org.millrace.sim.kotz;

import java.util.List;
import org.millrace.env.Work;
import org.millrace.sim.disk.FlatDisk;
import org.millrace.sim.machine.Speed;

/**
 * A possible explanation of a difference from the paper: something that is switched off, or set as
 * the paper may have had it, to see the effect. Immutable.
 *
 * @param name for people
 * @param hardware table 1's but for that thing
 * @param conduct the paper's but for that thing
 * @param system whose runs it may explain
 * @param roles of the patterns that it may explain
 */
public record Cause(
    String name,
    Hardware hardware,
    ApplicationOptions conduct,
    FileSystem system,
    List<String> roles) {

  private static final Hardware PLAIN = Hardware.TABLE_1;
  private static final ApplicationOptions PAPER = ApplicationOptions.paper(PLAIN);
  private static final List<String> ALL =
      List.of("easy read", "easy write", "hard read", "hard write");
  private static final List<String> WRITES = List.of("easy write", "hard write");
  private static final List<String> HARD = List.of("hard read", "hard write");

  /** Copies the list. */
  public Cause {
    roles = List.copyOf(roles);
  }

  /** Nothing else: what all others are compared with. */
  static Cause none(FileSystem system) {
    return new Cause("as in tables 2 and 3", PLAIN, PAPER, system, ALL);
  }

  /** For each file system none, and then all that are tried. */
  public static List<Cause> all() {
    Speed halfCopies = PLAIN.speed().with(Work.COPY, PLAIN.speed().picos(Work.COPY, 1) / 2);
    Hardware solid = PLAIN.withDisk(_ -> FlatDisk.ssd());
    return List.of(
        none(FileSystem.TRADITIONAL),
        traditional("ranks begin a block apart: no convoy", PLAIN, PAPER.staggered(), HARD),
        traditional("disks that need not seek or turn", solid, PAPER, HARD),
        traditional("both", solid, PAPER.staggered(), HARD),
        traditional("copies at half price", PLAIN.withSpeed(halfCopies), PAPER, WRITES),
        traditional("writes that end in the disks' buffers", PLAIN, PAPER.unflushed(), WRITES),
        none(FileSystem.DIRECTED),
        directed("copies at half price", PLAIN.withSpeed(halfCopies), PAPER, WRITES),
        directed("writes that end in the disks' buffers", PLAIN, PAPER.unflushed(), WRITES),
        directed("disks that need not seek or turn", solid, PAPER, HARD),
        directed("one buffer", PLAIN, PAPER.withBuffers(1), HARD),
        directed("four buffers", PLAIN, PAPER.withBuffers(4), HARD),
        directed("44 instructions more for a message", messages(394), PAPER, HARD),
        directed("two messages for one", messages(700), PAPER, HARD));
  }

  private static Hardware messages(double instructions) {
    double perSecond = 350e12 / PLAIN.speed().picos(Work.MESSAGE, 1);
    return PLAIN.withSpeed(
        PLAIN.speed().with(Work.MESSAGE, Math.round(instructions * 1e12 / perSecond)));
  }

  private static Cause traditional(
      String name, Hardware hardware, ApplicationOptions conduct, List<String> roles) {
    return new Cause(name, hardware, conduct, FileSystem.TRADITIONAL, roles);
  }

  private static Cause directed(
      String name, Hardware hardware, ApplicationOptions conduct, List<String> roles) {
    return new Cause(name, hardware, conduct, FileSystem.DIRECTED, roles);
  }

  /** The patterns that it may explain. */
  List<AccessPattern> patterns() {
    return AccessPattern.representative().stream()
        .filter(one -> roles.contains(one.role()))
        .toList();
  }
}
