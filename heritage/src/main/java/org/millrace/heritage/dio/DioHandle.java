package org.millrace.heritage.dio;

import java.io.IOException;
import java.util.Optional;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.layout.Layout;

/**
 * The local representation of a file that was registered: one component file for each home
 * processor.
 *
 * <p>Belongs to the rank's thread. Closed by {@link Dio#dio_deregister}.
 */
public final class DioHandle {

  private final SharedFile file;
  private final Optional<Rank> lone;

  /**
   * A handle of an open file.
   *
   * @param lone the group of one that opened it, if it was not the program's
   */
  DioHandle(SharedFile file, Optional<Rank> lone) {
    this.file = file;
    this.lone = lone;
  }

  /** The name it was registered by. */
  public String name() {
    return file.path();
  }

  /** How many component files there are: home processors are 0 to one less. */
  public int components() {
    return file.layout().strands();
  }

  /** The node on whose disk a processor's component lies. */
  public int node(int proc) {
    return file.layout().node(checkProc(proc));
  }

  /**
   * The bytes of a component as bytes of the plain file that other interfaces see: stripe units go
   * to the components in turn.
   */
  public View view(int proc) {
    Layout layout = file.layout();
    long unit = layout.stripeUnitBytes();
    return new View(checkProc(proc) * unit, Pattern.run(unit), layout.roundBytes());
  }

  /** How many bytes of a plain file of {@code bytes} bytes lie in a processor's component. */
  public long componentBytes(int proc, long bytes) {
    return file.layout().strandSize(checkProc(proc), bytes);
  }

  SharedFile file() {
    return file;
  }

  void close() throws IOException {
    if (file.isClosed()) {
      return;
    }
    file.close();
    if (lone.isPresent()) {
      lone.get().leave("");
    }
  }

  int checkProc(int proc) {
    if (proc < 0 || proc >= components()) {
      throw new IndexOutOfBoundsException(
          "%s has no component at processor %d, but at 0 to %d"
              .formatted(name(), proc, components() - 1));
    }
    return proc;
  }
}
