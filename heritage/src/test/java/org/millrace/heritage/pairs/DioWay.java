package org.millrace.heritage.pairs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;
import org.millrace.heritage.dio.DioRequest;

/** Through {@code dio}: whole components, each written by one rank. Stateless. */
final class DioWay implements Way {

  @Override
  public String name() {
    return "dio";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    Dio dio = new Dio(rank);
    DioHandle handle = dio.dio_create(path, 1000);
    List<DioRequest> requests = new ArrayList<>();
    for (int proc = rank.number(); proc < handle.components(); proc += rank.size()) {
      byte[] component = new byte[(int) handle.layout().strandSize(proc, content.length)];
      View view = handle.view(proc);
      for (int i = 0; i < component.length; i++) {
        component[i] = content[(int) view.offsetOf(i)];
      }
      DioRequest request = new DioRequest();
      var memory = MemorySegment.ofArray(component);
      dio.dio_write(handle, 0, memory, component.length, proc, request);
      requests.add(request);
    }
    dio.dio_waitall(requests);
    dio.dio_deregister(handle);
    rank.barrier();
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    Dio dio = new Dio(rank);
    DioHandle handle = dio.dio_register(path);
    byte[] content = new byte[length];
    for (int proc = 0; proc < handle.components(); proc++) {
      byte[] component = new byte[(int) handle.layout().strandSize(proc, length)];
      dio.dio_read(handle, 0, MemorySegment.ofArray(component), component.length, proc);
      View view = handle.view(proc);
      for (int i = 0; i < component.length; i++) {
        content[(int) view.offsetOf(i)] = component[i];
      }
    }
    dio.dio_deregister(handle);
    return content;
  }
}
