package org.millrace.heritage.passion;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.millrace.access.Distribution;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.array.Partitions;
import org.millrace.array.SectionWindow;
import org.millrace.client.Memory;
import org.millrace.plan.Hints;

/**
 * A global array file (GAF): the Global Placement Model, and what the Partitioned In-Core Model
 * lies on. Each processor has one of these for it.
 *
 * <p>{@code readSection} and {@code writeSection} are collective: every processor calls, with a
 * section of its own, which may be {@linkplain Sections#nothing empty}. What one of them does wrong
 * fails on all with INVALID, and nothing moves. They use the Extended Two-Phase Method, {@code
 * readArray} and {@code writeArray} the Two-Phase Method, unless {@link #use} says otherwise; the
 * method never changes which bytes move. Where sections overlap in a write the paper is silent;
 * here the highest processor's bytes stay.
 *
 * <p>Belongs to the processor's thread. Closing makes the elements durable; it is idempotent.
 */
public final class GlobalArrayFile implements AutoCloseable {

  private static final Memory NONE = Memory.of(MemorySegment.NULL);

  // constant after construction
  private final GlobalArray array;
  private final GlobalArray bySections;
  private final GlobalArray byArrays;
  private final GlobalArray directly;

  // the processor's thread
  private Method sections = Method.EXTENDED_TWO_PHASE;
  private Method arrays = Method.TWO_PHASE;
  private boolean sieving = true;
  private long domainBytes;

  GlobalArrayFile(GlobalArray array) {
    this.array = array;
    this.bySections = array.withHints(() -> hints(sections));
    this.byArrays = array.withHints(() -> hints(arrays));
    this.directly = array.withHints(() -> hints(Method.DIRECT));
  }

  private Hints hints(Method method) {
    Hints own = array.file().hints();
    return own.withStrategy(method.strategy(sieving)).withDomainBlockBytes(domainBytes);
  }

  /** The size of each dimension, and the order in the file. */
  public Shape shape() {
    return array.shape();
  }

  /** What it is an array of. */
  public ElementType type() {
    return array.type();
  }

  /** Millrace's own array, for all that PASSION did not have. */
  public GlobalArray array() {
    return array;
  }

  /**
   * The method of all collective calls from now on, those of partitions and reused sections that
   * are there already included; all processors must choose the same.
   */
  public void use(Method method) {
    sections = method;
    arrays = method;
  }

  /**
   * Whether the Direct Method, collective or of one processor alone, reads and writes whole blocks
   * and picks out what is wanted (it does at first), or moves run by run; all processors must
   * choose the same. The Extended Two-Phase Method sieves where that is cheaper.
   */
  public void dataSieving(boolean on) {
    sieving = on;
  }

  /**
   * Makes file domains block-cyclic: so many columns (rows in row-major order) for each processor
   * in turn. 0, as at first, makes one block each. All processors must choose the same.
   */
  public void domainsInTurn(long columns) {
    if (columns < 0) {
      throw new IllegalArgumentException("file domains in turns of " + columns + " columns");
    }
    long whole = shape().dimension(shape().fastest(shape().dimensions() - 1));
    long columnBytes = whole == 0 ? 0 : shape().bytes(type().bytes()) / whole;
    domainBytes = Math.multiplyExact(columns, columnBytes);
  }

  /** Reads a section, {@code l:u:s} for each dimension from 1 on. Returns how many bytes. */
  public long readSection(String section, Local into) throws IOException {
    return readSection(parsed(false, () -> Sections.parse(section)), into);
  }

  /** Reads section {@code l1, u1, s1, l2, u2, s2, ...} from 1 on. Returns how many bytes. */
  public long readSection(Local into, long... bounds) throws IOException {
    return readSection(parsed(false, () -> Sections.of(bounds)), into);
  }

  /** Reads a section that {@link Sections} made. */
  public long readSection(Section section, Local into) throws IOException {
    return bySections.readSection(checked(false, section), into);
  }

  /** Writes a section, {@code l:u:s} for each dimension from 1 on. Returns how many bytes. */
  public long writeSection(String section, Local from) throws IOException {
    return writeSection(parsed(true, () -> Sections.parse(section)), from);
  }

  /** Writes section {@code l1, u1, s1, l2, u2, s2, ...} from 1 on. Returns how many bytes. */
  public long writeSection(Local from, long... bounds) throws IOException {
    return writeSection(parsed(true, () -> Sections.of(bounds)), from);
  }

  /** Writes a section that {@link Sections} made. */
  public long writeSection(Section section, Local from) throws IOException {
    return bySections.writeSection(checked(true, section), from);
  }

  private Section checked(boolean write, Section section) throws IOException {
    return parsed(write, () -> Sections.inside(section, shape()));
  }

  /** The Direct Method for this processor alone: no other need call. */
  public long readDirectly(String section, Local into) throws IOException {
    return directly.readSectionAlone(Sections.parse(section, shape()), into);
  }

  /** As {@link #readDirectly}, for writing. */
  public long writeDirectly(String section, Local from) throws IOException {
    return directly.writeSectionAlone(Sections.parse(section, shape()), from);
  }

  /** Reads the whole array into a distributed in-core array. Collective. */
  public long readArray(Distribution distribution, Local into) throws IOException {
    checkThere(false, distribution, into);
    return byArrays.readDistributed(distribution, into);
  }

  /** Writes a whole distributed in-core array. Collective. */
  public long writeArray(Distribution distribution, Local from) throws IOException {
    checkThere(true, distribution, from);
    return byArrays.writeDistributed(distribution, from);
  }

  /**
   * Data prefetching: begins to read a section that this processor will ask for next, by the method
   * in use. Collective.
   */
  public void prefetch(String section) throws IOException {
    bySections.prefetch(parsed(false, () -> Sections.parse(section, shape())));
  }

  /** Data reuse: a section in core that moves on; what is there already is not read again. */
  public SectionWindow reuse() {
    return bySections.window();
  }

  /**
   * The Partitioned In-Core Model: partitions for which so many bytes of each processor are enough,
   * the parts that are loaded and stored while it computes included.
   */
  public Partitions partitions(long bytesPerProcessor) {
    return Partitions.of(bySections, bytesPerProcessor);
  }

  /** Exchanges what all processors want: the file access descriptor (FAD). Collective. */
  public List<Section> accessDescriptor(Section mine) throws IOException {
    byte[] text = mine.toString().getBytes(StandardCharsets.US_ASCII);
    return array.rank().allGather(text).stream()
        .map(one -> Section.parse(new String(one, StandardCharsets.US_ASCII)))
        .toList();
  }

  private void checkThere(boolean write, Distribution distribution, Local memory)
      throws IOException {
    Section _ =
        parsed(
            write,
            () -> {
              Objects.requireNonNull(distribution, "distribution");
              Objects.requireNonNull(memory, "memory");
              return Sections.nothing(1);
            });
  }

  /** A section that cannot be read is this processor's part of a call that fails on all. */
  private Section parsed(boolean write, Supplier<Section> section) throws IOException {
    try {
      return section.get();
    } catch (RuntimeException e) {
      var refusing = array.file().all().refusing(e).withHints(hints(sections));
      long _ = write ? refusing.write(NONE) : refusing.read(NONE);
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    array.close();
  }
}
