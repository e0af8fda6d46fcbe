package org.millrace.sim.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** When messages arrive. */
final class NetworkTest {

  private static final int HEADER = 32;

  @Test
  void aTorusIsLeftByTheShorterWay() {
    Topology torus = new Topology.Torus(6, 6);
    assertThat(torus.hosts()).isEqualTo(36);
    assertThat(torus.hops(0, 1)).isEqualTo(1);
    assertThat(torus.hops(0, 5)).isEqualTo(1); // around the end
    assertThat(torus.hops(0, 21)).isEqualTo(6); // the other end of the world
    assertThat(torus.hops(7, 7)).isZero();
  }

  @Test
  void onAverageATorusOfSixBySixIsThreeRoutersWide() {
    Topology torus = new Topology.Torus(6, 6);
    int sum = 0;
    for (int from = 0; from < 36; from++) {
      for (int to = 0; to < 36; to++) {
        assertThat(torus.hops(from, to)).isEqualTo(torus.hops(to, from));
        sum += torus.hops(from, to);
      }
    }
    assertThat(sum).isEqualTo(36 * 36 * 3);
  }

  @Test
  void manyToOneQueueAndPairsDoNotInEveryTopology() {
    for (Network network :
        new Network[] {
          new Network(new Topology.Torus(4, 4), 1e9, 0, 0),
          new Network(new Topology.FatTree(16, 4), 1e9, 0, 0),
          new Network(new Topology.Lan(16), 1e9, 0, 0)
        }) {
      for (int i = 0; i < 8; i++) { // each to a host of its own, all at the same time
        assertThat(network.send(0, i, 15 - i, 1_000 - HEADER)).isEqualTo(1_000);
      }
      for (int i = 0; i < 7; i++) { // all to one
        assertThat(network.send(10_000, i, 15, 1_000 - HEADER)).isEqualTo(11_000 + 1_000L * i);
      }
    }
  }

  @Test
  void ethernetTakesItsInterfacesItsSwitchesAndItsBytes() {
    long bytes = 12_500 - HEADER;
    assertThat(Network.lan(16, 10).send(0, 0, 5, bytes)).isEqualTo(10_000 + 5_000 + 1_000);
    assertThat(Network.lan(16, 100).send(0, 0, 5, bytes)).isEqualTo(1_000 + 5_000 + 1_000);
    assertThat(Network.fatTree(64, 4, 100).send(0, 0, 63, bytes))
        .isEqualTo(1_000 + 5_000 + 5 * 300);
  }

  @Test
  void aFatTreeIsClimbedAsFarAsNeeded() {
    Topology tree = new Topology.FatTree(64, 4);
    assertThat(tree.hops(0, 3)).isEqualTo(1);
    assertThat(tree.hops(0, 4)).isEqualTo(3);
    assertThat(tree.hops(0, 63)).isEqualTo(5);
  }

  @Test
  void aMessageTakesItsBytesAndItsHops() {
    Network network = Network.torus1994();
    long payload = 8192;
    long wire = (payload + HEADER) * 1_000_000_000 / 200_000_000;
    assertThat(network.send(1_000, 0, 2, payload)).isEqualTo(1_000 + wire + 2 * 20);
    assertThat(network.messages()).isEqualTo(1);
    assertThat(network.bytes()).isEqualTo(payload + HEADER);
  }

  @Test
  void messagesQueueAtBothEnds() {
    Network network = new Network(new Topology.Lan(4), 1e9, 0, 0);
    long one = network.send(0, 0, 1, 1_000 - HEADER);
    assertThat(one).isEqualTo(1_000);
    assertThat(network.send(0, 0, 2, 1_000 - HEADER)).isEqualTo(2_000); // the same sender
    assertThat(network.send(0, 3, 1, 1_000 - HEADER)).isEqualTo(2_000); // the same receiver
    assertThat(network.send(0, 2, 3, 1_000 - HEADER)).isEqualTo(1_000); // nobody in the way
  }

  @Test
  void aSenderWhoseReceiverIsBusyGoesOnWhereSwitchesKeepMessages() {
    Network worms = new Network(new Topology.FatTree(4, 4), 1e9, 0, 0);
    Network switched = Network.fatTree(4, 4, 8);
    long way = 5_000 + 300;
    for (int sender : new int[] {0, 1}) {
      worms.send(0, sender, 3, 10_000 - HEADER);
      switched.send(0, sender, 3, 10_000 - HEADER);
    }
    assertThat(worms.send(0, 1, 2, 1_000 - HEADER)).isEqualTo(21_000);
    assertThat(switched.send(0, 1, 2, 1_000 - HEADER)).isEqualTo(11_000 + way);
    assertThat(switched.send(0, 0, 3, 1_000 - HEADER)).isEqualTo(21_000 + way);
  }

  @Test
  void aMessageThatGoesLaterIsNotInTheWayOfOneThatGoesNow() {
    Network network = Network.fatTree(4, 4, 8);
    long way = 5_000 + 300;
    assertThat(network.send(50_000, 0, 3, 1_000 - HEADER)).isEqualTo(51_000 + way);
    assertThat(network.send(0, 1, 3, 1_000 - HEADER)).isEqualTo(1_000 + way);
    assertThat(network.send(49_500, 1, 3, 1_000 - HEADER)).isEqualTo(52_000 + way); // no gap
    assertThat(network.send(48_000, 2, 3, 1_000 - HEADER)).isEqualTo(49_000 + way);
  }

  @Test
  void manySmallMessagesAreManyHeaders() {
    Network network = new Network(new Topology.Lan(2), 1e9, 0, 0);
    assertThat(network.send(0, 0, 1, 800, 100)).isEqualTo(800 + 100 * HEADER);
    assertThat(network.messages()).isEqualTo(100);
  }

  @Test
  void whoSendsToItselfNeedsNoNetwork() {
    assertThat(Network.lan(2, 10).send(5, 1, 1, 1 << 20)).isEqualTo(5);
  }

  @Test
  void topologiesWithoutHostsAreRefused() {
    assertThatThrownBy(() -> new Topology.Torus(0, 3)).hasMessageContaining("0 x 3");
    assertThatThrownBy(() -> new Topology.FatTree(4, 1)).hasMessageContaining("radix 1");
  }

  @Test
  void itKnowsHowLongEachLinkWasBusyUntilItIsToldToForget() {
    Network network = new Network(new Topology.Lan(3), 1e9, 0, 0);
    network.send(0, 0, 1, 1_000 - HEADER);
    network.send(0, 0, 2, 1_000 - HEADER);
    network.send(0, 1, 2, 500 - HEADER);
    assertThat(network.busyNanos(0)).isEqualTo(2_000);
    assertThat(network.busyNanos(1)).isEqualTo(1_000); // receiving
    assertThat(network.busyNanos(2)).isEqualTo(1_500);
    network.forget();
    assertThat(network.busyNanos(0)).isZero();
    assertThat(network.messages()).isZero();
  }

  @Test
  void aMeshHasNoWayAroundItsEnds() {
    Topology mesh = new Topology.Mesh(4, 3);
    assertThat(mesh.hosts()).isEqualTo(12);
    assertThat(mesh.hops(0, 3)).isEqualTo(3);
    assertThat(mesh.hops(0, 11)).isEqualTo(5);
    assertThat(mesh.hops(9, 6)).isEqualTo(2);
    assertThat(mesh.hops(5, 5)).isZero();
  }
}
