package org.millrace.heritage.elio;

import java.io.IOException;
import org.millrace.client.Rank;

/**
 * A device: a way to keep files at paths, for all ranks of a group. Devices are values that ranks
 * may share; what they keep open belongs to an {@link ElioFile}.
 *
 * <p>All devices have the same rules, so that a program need not know which one has its file:
 *
 * <ul>
 *   <li>{@link #create} makes an empty file in place of one that has the path. It either succeeds
 *       or leaves that file as it was; while anybody has it open it is refused with IN_USE.
 *   <li>{@link #open} and {@link #remove} of a path that has no file fail with NO_SUCH_NAME, {@link
 *       #remove} of one that somebody has open with IN_USE, any of them of a folder with
 *       WRONG_KIND.
 *   <li>What fails on one rank fails on all, with the same error.
 * </ul>
 */
public interface ElioDevice {

  /** What it is called, for people. */
  String name();

  /** Makes a file and opens it for reading and writing. Collective. */
  ElioFile create(Rank rank, String path, ElioHints hints) throws IOException;

  /** Opens a file that exists for reading and writing. Collective. */
  ElioFile open(Rank rank, String path) throws IOException;

  /** Removes a file that nobody has open. Collective. */
  void remove(Rank rank, String path) throws IOException;
}
