package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import org.millrace.client.Rank;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;
import org.millrace.heritage.dio.DioMode;
import org.millrace.heritage.elio.ElioDevice;
import org.millrace.heritage.elio.ElioFile;
import org.millrace.heritage.elio.ElioHints;

/**
 * The device that Distant I/O was made for: files striped over a component on each node. Stateless.
 */
public final class StripedFiles implements ElioDevice {

  /** Stripe unit of a file whose typical request nobody knows, as the paper has it. */
  public static final long DEFAULT_UNIT = 32 << 10;

  /** Smallest stripe unit: requests below it are not made smaller still. */
  public static final long LEAST_UNIT = 4 << 10;

  /** The device. */
  public StripedFiles() {}

  @Override
  public String name() {
    return "striped files";
  }

  @Override
  public ElioFile create(Rank rank, String path, ElioHints hints) throws IOException {
    long typical = hints.typicalRequest();
    long unit = typical == 0 ? DEFAULT_UNIT : Math.max(LEAST_UNIT, typical);
    Dio dio = new Dio(rank);
    DioHandle handle = dio.dio_create(path, unit, DioMode.EXTENDING);
    if (hints.expectedBytes() > 0) {
      dio.dio_reserve(handle, hints.expectedBytes());
    }
    return new StripedFile(dio, handle);
  }

  @Override
  public ElioFile open(Rank rank, String path) throws IOException {
    Dio dio = new Dio(rank);
    return new StripedFile(dio, dio.dio_register(path, DioMode.EXTENDING));
  }

  @Override
  public void remove(Rank rank, String path) throws IOException {
    rank.together(
        "remove " + path,
        () -> {
          if (rank.number() == 0) {
            new Dio(rank).dio_unlink(path);
          }
        });
  }
}
