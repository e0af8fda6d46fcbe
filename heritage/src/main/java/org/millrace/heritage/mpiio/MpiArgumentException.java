package org.millrace.heritage.mpiio;

/** A wrong argument of a call that needs no file: of a datatype, an info object. */
public final class MpiArgumentException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private final ErrorClass errorClass;

  MpiArgumentException(ErrorClass errorClass, String message) {
    super(errorClass + ": " + message);
    this.errorClass = errorClass;
  }

  /** MPI's class of the error. */
  public ErrorClass getErrorClass() {
    return errorClass;
  }
}
