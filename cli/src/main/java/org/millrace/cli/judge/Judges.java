package org.millrace.cli.judge;

import java.util.List;
import java.util.Optional;

/** All judges, in the order of the documents. Stateless. */
final class Judges {

  static final List<Judge> ALL =
      List.of(
          new MavenJudge(
              "nio",
              "NioJudgeTest",
              "niotest on the provider of java.nio.file",
              List.of("std", "closable", "second")),
          new MavenJudge(
              "lucene",
              "LuceneJudgeTest",
              "Lucene's tests of directories on the same provider",
              List.of("lucene")),
          new PosixJudge(PosixTools.USUAL),
          new ZarrJudge(false),
          new PythonJudge(false));

  private Judges() {}

  static Optional<Judge> named(String name) {
    return ALL.stream().filter(one -> one.name().equals(name)).findFirst();
  }

  static List<String> names() {
    return ALL.stream().map(Judge::name).toList();
  }
}
