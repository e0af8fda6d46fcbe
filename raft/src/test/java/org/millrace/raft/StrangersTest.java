package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.daemon.Replication;
import org.millrace.daemon.Server;
import org.millrace.wire.Tls;
import org.millrace.wire.TlsManagers;

/** Who may talk to coordinators as one of them. */
@Tag("long")
final class StrangersTest {

  @TempDir private Path folder;

  @Test
  void onlyKeysOfAHostOfTheGroupAreBelieved() throws Exception {
    Path own = keys("own");
    Path others = keys("others");
    RaftReplication engine = new RaftReplication();
    try (TestGroup group =
        new TestGroup(folder, LeaseTimes.DEFAULT, Optional.of(own.resolve("127.0.0.1")))) {
      group.awaitLeader();
      engine.change(asked(group, own.resolve("127.0.0.1")), group.group()); // the control
      assertThatThrownBy(
              () -> engine.change(asked(group, others.resolve("127.0.0.1")), group.group()))
          .as("keys of another authority")
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> engine.change(asked(group, own.resolve("miller")), group.group()))
          .as("keys of a user, of the same authority")
          .isInstanceOf(IOException.class);
      assertThat(ThreeCoordinatorsTest.names(group)).as("the group goes on").isEmpty();
    }
  }

  @Test
  void aHostThatIsListedLaterIsBelievedFromThenOn() throws Exception {
    TlsManagers managers = Tls.managers(keys("own").resolve("127.0.0.1"));
    Set<String> hosts = ConcurrentHashMap.newKeySet();
    var trust = new RaftKeys.Members(managers.trust(), () -> hosts);
    String[] aliases = managers.keys().getServerAliases("EC", null);
    X509Certificate[] chain = managers.keys().getCertificateChain(aliases[0]);
    assertThatThrownBy(() -> trust.checkClientTrusted(chain, "EC"))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("no coordinator's host");
    hosts.add("127.0.0.1");
    trust.checkClientTrusted(chain, "EC");
  }

  private static Replication.Membership asked(TestGroup group, Path keys) {
    return new Replication.Membership(
        TestGroup.CLUSTER, group.group(), 0, keys, TestGroup.NOWHERE, Server.Beginning.NONE);
  }

  private Path keys(String name) throws IOException, InterruptedException {
    Path target = folder.resolve(name);
    List<String> line =
        JavaCommand.of(
            List.of(
                "keys",
                "init",
                "--dir",
                target.toString(),
                "--user",
                "miller",
                "--host",
                "127.0.0.1"));
    assertThat(new ProcessBuilder(line).inheritIO().start().waitFor()).isZero();
    return target;
  }
}
