package org.millrace.files;

/**
 * Keeps bytes of files that are delegated to a session: while a file is, nobody else has it open
 * for writing. What the holder writes itself it sends to the cluster at once, so others read it.
 *
 * <p>Called by threads of the tree, several at a time. {@link FileHandle#isDelegated} of the
 * handles in question is false before either method is called.
 */
public interface DelegationHolder {

  /**
   * Somebody is about to write a file. Returns when no bytes of it are kept any more; until then
   * the other one waits, but not for ever: after some seconds the file is closed for this session.
   */
  void recalled(long file);

  /**
   * The session is over, or has not heard from the coordinator for seconds: nothing is delegated
   * any more. Bytes of all files are to be dropped, by other threads: this call must not wait.
   */
  void lost();
}
