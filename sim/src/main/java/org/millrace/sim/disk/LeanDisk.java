package org.millrace.sim.disk;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.MemoryDisk;

/**
 * A disk in memory whose strands take less memory than those of {@link MemoryDisk}, which remembers
 * what a crash could leave of each sector. Names, sizes and checksums are kept by a {@link
 * MemoryDisk}.
 *
 * <p>For threads of one seeded environment, which run one at a time.
 */
public final class LeanDisk implements Disk {

  private static final String DATA = ".strand";

  // constant after construction
  private final Disk others;
  private final Function<String, DiskFile> kind;

  // owned by whichever thread runs
  private final Map<String, DiskFile> strands = new HashMap<>();

  /** An empty disk; {@code kind} makes the file of a strand, by its name. */
  public LeanDisk(String name, Function<String, DiskFile> kind) {
    this.others = new MemoryDisk(name);
    this.kind = kind;
  }

  @Override
  public String name() {
    return others.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    DiskFile strand = strands.get(file);
    return strand == null ? others.open(file) : strand;
  }

  @Override
  public DiskFile create(String file) throws IOException {
    DiskFile made = others.create(file);
    if (!file.endsWith(DATA)) {
      return made;
    }
    made.close();
    DiskFile strand = kind.apply(file);
    strands.put(file, strand);
    return strand;
  }

  @Override
  public boolean exists(String file) throws IOException {
    return others.exists(file);
  }

  @Override
  public void delete(String file) throws IOException {
    others.delete(file);
    strands.remove(file);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    others.rename(from, to);
    DiskFile strand = strands.remove(from);
    if (strand != null) {
      strands.put(to, strand);
    }
  }

  @Override
  public List<String> list() throws IOException {
    return others.list();
  }

  @Override
  public void force() throws IOException {
    others.force();
  }

  @Override
  public void close() throws IOException {
    others.close();
  }

  @Override
  public String toString() {
    return others.toString();
  }
}
