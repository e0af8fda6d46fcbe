package org.millrace.heritage.dio;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.layout.Layout;

/**
 * The local representation of a file that was registered: a component file for each home processor.
 *
 * <p>Belongs to the rank's thread. Closing is {@link Dio#dio_deregister}.
 */
public final class DioHandle implements AutoCloseable {

  // constant after construction
  private final Rank rank;
  private final String name;
  private final DioMode mode;
  private final Components components;

  // the rank's thread
  private final Set<Operation> underWay = new LinkedHashSet<>();

  DioHandle(Rank rank, String name, DioMode mode, Components components) {
    this.rank = rank;
    this.name = name;
    this.mode = mode;
    this.components = components;
  }

  /** The name it was registered by. */
  public String name() {
    return name;
  }

  /** What reads beyond the end of a component are. */
  public DioMode mode() {
    return mode;
  }

  /** How many component files there are: home processors are 0 to one less. */
  public int components() {
    return components.count();
  }

  /** Whether the components are local files of the ranks; else nodes keep them. */
  public boolean isLocal() {
    return components instanceof LocalComponents;
  }

  /**
   * How a file that nodes keep is striped: processor p's component is strand p, on that strand's
   * node.
   */
  public Layout layout() {
    return plain().layout();
  }

  /** The size of the plain file that components on nodes make up for other interfaces. */
  public long plainSize() throws IOException {
    return plain().size();
  }

  SharedFile plain() {
    if (components instanceof NodeComponents(SharedFile file, _)) {
      return file;
    }
    throw new IllegalStateException(name + " consists of the ranks' own files");
  }

  /**
   * The bytes of a component that a node keeps, as bytes of the plain file that other interfaces
   * see: stripe units go to the components in turn.
   */
  public View view(int proc) {
    long unit = layout().stripeUnitBytes();
    return new View(checkProc(proc) * unit, Pattern.run(unit), layout().roundBytes());
  }

  Rank rank() {
    return rank;
  }

  Components files() {
    return components;
  }

  Operation begun(Operation operation) {
    underWay.add(operation);
    return operation;
  }

  void ended(Operation operation) {
    underWay.remove(operation);
  }

  /**
   * Completes this rank's requests, whose results wait for {@code dio_wait}; makes what was written
   * durable and gives the handle back. Idempotent.
   */
  @Override
  public void close() throws IOException {
    if (!components.isClosed()) {
      List.copyOf(underWay).forEach(Operation::finish);
      components.close();
    }
  }

  int checkProc(int proc) {
    if (proc < 0 || proc >= components()) {
      throw new IndexOutOfBoundsException(
          "%s has no component at processor %s, but at 0 to %s"
              .formatted(name, proc, components() - 1));
    }
    return proc;
  }
}
