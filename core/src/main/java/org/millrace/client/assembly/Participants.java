package org.millrace.client.assembly;

import java.lang.reflect.Constructor;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Limits;
import org.millrace.env.Env;
import org.millrace.message.Boards;
import org.millrace.message.Link;
import org.millrace.message.SharedBuffers;
import org.millrace.transfer.NodeLinks;
import org.millrace.transfer.TransferSettings;

/** Makes the participants of runs, for one cluster. Safe for use by several threads. */
public interface Participants {

  /**
   * What a participant reaches the others by. All is closed with the participant.
   *
   * @param coordinator to the coordinator
   * @param nodes to the nodes
   * @param participants to another participant's inbox, by its number
   * @param sharedBuffers memory that nodes and participants in other processes can reach
   * @param boards where participants that are processes may meet; null if they do not try, which is
   *     the same for all of them
   */
  record Links(
      Link coordinator,
      NodeLinks nodes,
      IntFunction<Link> participants,
      SharedBuffers sharedBuffers,
      @Nullable Boards boards) {}

  /** Makes participant {@code number}. */
  Participant make(Env env, Limits limits, TransferSettings transfers, int number, Links links);

  /** For participants each of which is a process. */
  static Participants inProcesses() {
    return make(false);
  }

  /** For participants that are all in this JVM. */
  static Participants inOneJvm() {
    return make(true);
  }

  /**
   * Their maker is in a package that programs see. It is hidden there, so that they cannot use it,
   * and found by its name.
   */
  private static Participants make(boolean oneJvm) {
    try {
      Constructor<?> maker =
          Class.forName("org.millrace.client.SessionMaker").getDeclaredConstructor(boolean.class);
      maker.setAccessible(true); // as the same module may
      return (Participants) maker.newInstance(oneJvm);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the client is not complete", e);
    }
  }
}
