package org.millrace.heritage.pairs;

import java.util.List;

/** All ways. Stateless. */
final class Ways {

  static final List<Way> ALL =
      List.of(
          new BridgeWay(),
          new CioWay(),
          new CrockettWay(),
          new DioWay(),
          new EdonioWay(),
          new ElfsWay(),
          new KotzWay(),
          new MpiioWay(),
          new NcubeWay(),
          new PassionWay(),
          new PfsWay(),
          new PiofsWay(),
          new PiousWay(),
          new SharedFilesWay(),
          new VestaWay());

  private Ways() {}
}
