package org.millrace.env;

/** Real life keeps the contract. */
final class RealEnvTest extends EnvContractTest {

  @Override
  void run(Body body) throws Exception {
    Throwable[] thrown = {null};
    Thread thread =
        Env.real()
            .start(
                ThreadKind.RANK,
                "test",
                () -> {
                  try {
                    body.in(Env.real());
                  } catch (Throwable e) {
                    thrown[0] = e;
                  }
                });
    thread.join();
    if (thrown[0] != null) {
      throw new AssertionError(thrown[0]);
    }
  }
}
