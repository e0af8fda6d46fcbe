/** Sixteen interfaces of the 1990s by their own names, and a program for each. */
@SuppressWarnings("module") // our other modules are compiled after this one
module org.millrace.heritage {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires org.millrace.output;
  requires transitive org.millrace.core;

  exports org.millrace.heritage.bridge;
  exports org.millrace.heritage.cio;
  exports org.millrace.heritage.crockett;
  exports org.millrace.heritage.dio;
  exports org.millrace.heritage.edonio;
  exports org.millrace.heritage.elfs;
  exports org.millrace.heritage.elio;
  exports org.millrace.heritage.kotz;
  exports org.millrace.heritage.mpiio;
  exports org.millrace.heritage.ncube;
  exports org.millrace.heritage.nx;
  exports org.millrace.heritage.passion;
  exports org.millrace.heritage.pfs;
  exports org.millrace.heritage.piofs;
  exports org.millrace.heritage.pious;
  exports org.millrace.heritage.sharedfiles;
  exports org.millrace.heritage.vesta;
  exports org.millrace.heritage.fem to
      org.millrace.bench;
  exports org.millrace.heritage.program to
      org.millrace.cli;
}
