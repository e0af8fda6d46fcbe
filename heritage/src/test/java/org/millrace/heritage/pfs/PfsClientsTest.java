package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_NDELAY;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.heritage.testing.Programs;

/** Clients that are some of a program's ranks. */
final class PfsClientsTest {

  @TempDir private Path directory;

  @Test
  void anErrorOfOneOfSomeClientsFailsOnAllOfThemWhateverTheNameBeginsWith() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          if (rank.number() == 2) {
            return; // does something else
          }
          Pfs pfs = Pfs.pfslib_init(rank);
          boolean odd = rank.number() == 1;
          for (String name : List.of("/pfs/x", "//pfs/" + "d/".repeat(150) + "x", "pfs.x")) {
            int flags = odd ? NEW | O_NDELAY : NEW;
            failed(
                pfs,
                pfs._pfslib_open(name, flags, 0644, IoMode.M_SYNC, 2, rank.number(), true),
                odd ? Epfsl.EPFSLNDELAY : Epfsl.EPFSLREMOTE);
          }
          int fd = pfs._pfslib_open("/pfs.x", NEW, 0644, IoMode.M_SYNC, 2, rank.number(), true);
          pfs.cwrite(fd, filled(3, 1), 3);
          assertThat(pfs.close(fd)).isZero();
        });
  }
}
