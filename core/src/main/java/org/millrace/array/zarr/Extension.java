package org.millrace.array.zarr;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What Zarr calls an extension: a name with a configuration. Codecs, chunk grids and key encodings
 * are written so. Immutable.
 *
 * @param name such as {@code gzip}
 * @param configuration empty if there is none
 */
public record Extension(String name, Json.Obj configuration) {

  /** Without a configuration. */
  public Extension(String name) {
    this(name, Json.Obj.EMPTY);
  }

  /** The same with one more member of the configuration. */
  public Extension with(String member, Json value) {
    return new Extension(name, configuration.with(member, value));
  }

  static Extension read(String where, Json value) {
    if (value instanceof Json.Str alone) {
      return new Extension(alone.text());
    }
    Fields fields = new Fields(where, value);
    String name = fields.string("name");
    Json configuration = fields.find("configuration").orElse(Json.Obj.EMPTY);
    if (!(configuration instanceof Json.Obj members)) {
      throw fields.wrong("configuration", "an object", configuration);
    }
    var _ = fields.find("must_understand");
    fields.checkRest();
    return new Extension(name, members);
  }

  /** The members of the configuration. */
  Fields fields() {
    return new Fields("configuration of \"" + name + "\"", configuration);
  }

  Json json() {
    Map<String, Json> members = new LinkedHashMap<>();
    members.put("name", new Json.Str(name));
    if (!configuration.members().isEmpty()) {
      members.put("configuration", configuration);
    }
    return new Json.Obj(members);
  }
}
