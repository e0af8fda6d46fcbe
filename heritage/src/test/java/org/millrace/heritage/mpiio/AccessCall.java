package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.util.List;
import org.millrace.heritage.mpiio.Call.Where;

/** All data accesses of the table, so that tests can make each of them in the same way. */
record AccessCall(String name, boolean write, Where where, boolean together, Made made) {

  /** A call with these arguments, and the wait for it. */
  interface Made {
    Status by(File file, long offset, Object buffer, long count, Datatype type) throws IOException;
  }

  static final List<AccessCall> ALL =
      List.of(
          at("readAt", false, false, File::readAt),
          at("writeAt", true, false, File::writeAt),
          at("readAtAll", false, true, File::readAtAll),
          at("writeAtAll", true, true, File::writeAtAll),
          at("iReadAt", false, false, (f, o, b, c, t) -> f.iReadAt(o, b, c, t).waitStatus()),
          at("iWriteAt", true, false, (f, o, b, c, t) -> f.iWriteAt(o, b, c, t).waitStatus()),
          at("iReadAtAll", false, true, (f, o, b, c, t) -> f.iReadAtAll(o, b, c, t).waitStatus()),
          at("iWriteAtAll", true, true, (f, o, b, c, t) -> f.iWriteAtAll(o, b, c, t).waitStatus()),
          at(
              "readAtAllBegin",
              false,
              true,
              (f, o, b, c, t) -> {
                f.readAtAllBegin(o, b, c, t);
                return f.readAtAllEnd(b);
              }),
          at(
              "writeAtAllBegin",
              true,
              true,
              (f, o, b, c, t) -> {
                f.writeAtAllBegin(o, b, c, t);
                return f.writeAtAllEnd(b);
              }),
          own("read", false, false, (f, _, b, c, t) -> f.read(b, c, t)),
          own("write", true, false, (f, _, b, c, t) -> f.write(b, c, t)),
          own("readAll", false, true, (f, _, b, c, t) -> f.readAll(b, c, t)),
          own("writeAll", true, true, (f, _, b, c, t) -> f.writeAll(b, c, t)),
          own("iRead", false, false, (f, _, b, c, t) -> f.iRead(b, c, t).waitStatus()),
          own("iWrite", true, false, (f, _, b, c, t) -> f.iWrite(b, c, t).waitStatus()),
          own("iReadAll", false, true, (f, _, b, c, t) -> f.iReadAll(b, c, t).waitStatus()),
          own("iWriteAll", true, true, (f, _, b, c, t) -> f.iWriteAll(b, c, t).waitStatus()),
          own(
              "readAllBegin",
              false,
              true,
              (f, _, b, c, t) -> {
                f.readAllBegin(b, c, t);
                return f.readAllEnd(b);
              }),
          own(
              "writeAllBegin",
              true,
              true,
              (f, _, b, c, t) -> {
                f.writeAllBegin(b, c, t);
                return f.writeAllEnd(b);
              }),
          shared("readShared", false, false, (f, _, b, c, t) -> f.readShared(b, c, t)),
          shared("writeShared", true, false, (f, _, b, c, t) -> f.writeShared(b, c, t)),
          shared(
              "iReadShared", false, false, (f, _, b, c, t) -> f.iReadShared(b, c, t).waitStatus()),
          shared(
              "iWriteShared", true, false, (f, _, b, c, t) -> f.iWriteShared(b, c, t).waitStatus()),
          shared("readOrdered", false, true, (f, _, b, c, t) -> f.readOrdered(b, c, t)),
          shared("writeOrdered", true, true, (f, _, b, c, t) -> f.writeOrdered(b, c, t)),
          shared(
              "readOrderedBegin",
              false,
              true,
              (f, _, b, c, t) -> {
                f.readOrderedBegin(b, c, t);
                return f.readOrderedEnd(b);
              }),
          shared(
              "writeOrderedBegin",
              true,
              true,
              (f, _, b, c, t) -> {
                f.writeOrderedBegin(b, c, t);
                return f.writeOrderedEnd(b);
              }));

  private static AccessCall at(String name, boolean write, boolean together, Made made) {
    return new AccessCall(name, write, Where.OFFSET, together, made);
  }

  private static AccessCall own(String name, boolean write, boolean together, Made made) {
    return new AccessCall(name, write, Where.POINTER, together, made);
  }

  private static AccessCall shared(String name, boolean write, boolean together, Made made) {
    return new AccessCall(name, write, Where.SHARED, together, made);
  }

  @Override
  public String toString() {
    return name;
  }
}
