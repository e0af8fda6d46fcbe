package org.millrace.heritage.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that runs in the world {@code jvm} only; it is skipped in the others. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface InOneJvm {

  /** Why it cannot run elsewhere. */
  String value();
}
