package org.millrace.cli.terminal;

/** Colours of words on standard output, where it takes any. */
public enum Colour {
  /** As it should be. */
  GOOD("32"),
  /** Worth a look. */
  WARNING("33"),
  /** Wrong. */
  BAD("31;1"),
  /** A directory. */
  DIRECTORY("34;1"),
  /** What explains. */
  SOFT("2");

  private final String code;

  Colour(String code) {
    this.code = code;
  }

  /** The words in this colour. */
  public String of(String words) {
    return of(words, Terminal.hasColours());
  }

  /** The words in this colour if there are colours. */
  public String of(String words, boolean coloured) {
    return coloured ? "\033[" + code + "m" + words + "\033[0m" : words;
  }
}
