package org.millrace.heritage.mpiio;

import java.io.IOException;
import org.millrace.client.Memory;
import org.millrace.heritage.mpiio.Call.Data;

/** How values lie in a file. Immutable, as far as a program's own functions are. */
sealed interface Datarep permits Datarep.Plain, External32, RegisteredDatarep {

  /** Its name in {@link File#setView}. */
  String name();

  /** A type as it lies in the file. */
  default Datatype inFile(Datatype type) {
    return type;
  }

  /** What is written: the data as they lie in the file. */
  Memory outgoing(Data data) throws IOException;

  /** Where bytes of the file are read to, and what is made of them. */
  Incoming incoming(Data data);

  /** A read on its way. */
  interface Incoming {

    /** Where the bytes of the file go. */
    Memory memory();

    /** The first bytes have come: converts them, and tells how many bytes of the data that are. */
    long arrived(long fileBytes) throws IOException;
  }

  /** Bytes that mean the same in the file and in memory. */
  record Plain(String name) implements Datarep {

    @Override
    public Memory outgoing(Data data) {
      return data.memory();
    }

    @Override
    public Incoming incoming(Data data) {
      return new InPlace(data.memory());
    }
  }

  /** A read straight into the program's memory. */
  record InPlace(Memory memory) implements Incoming {

    @Override
    public long arrived(long fileBytes) {
      return fileBytes;
    }
  }
}
