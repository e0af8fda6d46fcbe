package org.millrace.disk;

import java.io.IOException;
import java.nio.file.OpenOption;

/**
 * The JDK's option to go past the page cache. It belongs to a module that not every runtime image
 * has, so it is looked up by name. Stateless.
 */
public final class DirectOption {

  private static final String OPTIONS = "com.sun.nio.file.ExtendedOpenOption";

  private DirectOption() {}

  /** The option; an error if this runtime has none. */
  public static OpenOption require() throws IOException {
    try {
      for (Object option : Class.forName(OPTIONS).getEnumConstants()) {
        if (option instanceof OpenOption open && option.toString().equals("DIRECT")) {
          return open;
        }
      }
      throw new IOException("this Java runtime knows no option DIRECT");
    } catch (ClassNotFoundException e) {
      throw new IOException("this Java runtime has no " + OPTIONS, e);
    }
  }
}
