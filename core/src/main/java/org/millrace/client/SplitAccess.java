package org.millrace.client;

import java.io.IOException;

/**
 * Collective calls in two halves, as MPI splits them: the first begins the transfer and returns at
 * once, the second waits for it and returns how many bytes moved. In between the rank may compute,
 * and do anything else with the file but begin another such call: at most one may be under way on a
 * file. The memory belongs to the call until its end.
 */
public interface SplitAccess {

  /** Begins {@link BlockingAccess#readAtAll(long, Memory)}. */
  void readAtAllBegin(long position, Memory into) throws IOException;

  /** Ends {@link #readAtAllBegin}. */
  long readAtAllEnd() throws IOException;

  /** Begins {@link BlockingAccess#writeAtAll(long, Memory)}. */
  void writeAtAllBegin(long position, Memory from) throws IOException;

  /** Ends {@link #writeAtAllBegin}. */
  long writeAtAllEnd() throws IOException;

  /** Begins {@link BlockingAccess#readAll(Memory)}. */
  void readAllBegin(Memory into) throws IOException;

  /** Ends {@link #readAllBegin}. */
  long readAllEnd() throws IOException;

  /** Begins {@link BlockingAccess#writeAll(Memory)}. */
  void writeAllBegin(Memory from) throws IOException;

  /** Ends {@link #writeAllBegin}. */
  long writeAllEnd() throws IOException;

  /** Begins {@link BlockingAccess#readOrdered(Memory)}. */
  void readOrderedBegin(Memory into) throws IOException;

  /** Ends {@link #readOrderedBegin}. */
  long readOrderedEnd() throws IOException;

  /** Begins {@link BlockingAccess#writeOrdered(Memory)}. */
  void writeOrderedBegin(Memory from) throws IOException;

  /** Ends {@link #writeOrderedBegin}. */
  long writeOrderedEnd() throws IOException;
}
