package org.millrace.cli.run;

/** What happens to the lines that ranks print. Names are as on the command line. */
enum RankOutput {
  /** Each line begins with the rank's number. */
  prefixed {
    @Override
    String line(int rank, String text) {
      return "[" + rank + "] " + text;
    }
  },
  /** Lines are as the rank printed them. */
  merged {
    @Override
    String line(int rank, String text) {
      return text;
    }
  };

  abstract String line(int rank, String text);
}
