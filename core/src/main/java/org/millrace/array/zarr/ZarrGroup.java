package org.millrace.array.zarr;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A group of Zarr arrays and groups. If it has consolidated metadata, arrays and groups are found
 * there and their own {@code zarr.json} are not read.
 *
 * <p>Immutable, except for the files. Threads as the store.
 */
public final class ZarrGroup {

  private static final String CONSOLIDATED = "consolidated_metadata";

  // constant after construction
  private final ZarrStore store;
  private final Json.Obj attributes;
  private final Optional<Map<String, Json>> consolidated;

  private ZarrGroup(
      ZarrStore store, Json.Obj attributes, Optional<Map<String, Json>> consolidated) {
    this.store = store;
    this.attributes = attributes;
    this.consolidated = consolidated;
  }

  /** Makes a group in a directory, which has no metadata yet. */
  public static ZarrGroup create(ZarrStore store, Json.Obj attributes) throws IOException {
    ZarrArray.checkNone(store);
    ZarrGroup group = new ZarrGroup(store, attributes, Optional.empty());
    store.write(ZarrArray.METADATA, ZarrArray.utf8(group.json()));
    return group;
  }

  /** Opens the group in a directory. What cannot be read is refused with INVALID. */
  public static ZarrGroup open(ZarrStore store) throws IOException {
    String text = ZarrArray.text(store);
    try {
      return of(store, Json.parse(text));
    } catch (IllegalArgumentException e) {
      throw ZarrArray.invalid(store.path(ZarrArray.METADATA), e);
    }
  }

  private static ZarrGroup of(ZarrStore store, Json document) {
    Fields fields = new Fields("zarr.json", document);
    ZarrMetadata.checkNode(fields, "group");
    Json.Obj attributes = ZarrMetadata.attributes(fields);
    Optional<Json> inline = fields.find(CONSOLIDATED).filter(found -> found != Json.Null.NULL);
    fields.checkRest();
    return new ZarrGroup(store, attributes, inline.flatMap(ZarrGroup::metadata));
  }

  /** Metadata of another kind than that written here is left unread, as it may be. */
  private static Optional<Map<String, Json>> metadata(Json consolidated) {
    Fields fields = new Fields(CONSOLIDATED, consolidated);
    if (!fields.string("kind").equals("inline")) {
      if (Fields.mustBeUnderstood(consolidated)) {
        throw fields.wrong("kind", "\"inline\"", fields.get("kind"));
      }
      return Optional.empty();
    }
    Json found = fields.get("metadata");
    if (found instanceof Json.Obj all) {
      return Optional.of(all.members());
    }
    throw fields.wrong("metadata", "an object", found);
  }

  private Json.Obj json() {
    Json.Obj plain =
        Json.Obj.EMPTY
            .with("zarr_format", new Json.Num(3))
            .with("node_type", new Json.Str("group"))
            .with("attributes", attributes);
    return consolidated.isEmpty()
        ? plain
        : plain.with(
            CONSOLIDATED,
            Json.Obj.EMPTY
                .with("kind", new Json.Str("inline"))
                .with("must_understand", Json.Bool.FALSE)
                .with("metadata", new Json.Obj(consolidated.get())));
  }

  /** The user's own attributes. */
  public Json.Obj attributes() {
    return attributes;
  }

  /** Whether it has consolidated metadata. */
  public boolean isConsolidated() {
    return consolidated.isPresent();
  }

  /** The names of the arrays and groups in it, sorted. */
  public List<String> names() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    if (consolidated.isPresent()) {
      for (String path : consolidated.get().keySet()) {
        names.add(path.split("/", 2)[0]);
      }
    } else {
      for (String name : store.directories("")) {
        if (store.size(name + "/" + ZarrArray.METADATA).isPresent()) {
          names.add(name);
        }
      }
    }
    return List.copyOf(names);
  }

  /** Opens an array below this group. */
  public ZarrArray array(String path) throws IOException {
    Optional<Json> known = consolidated.flatMap(all -> Optional.ofNullable(all.get(path)));
    ZarrStore its = store.below(path);
    if (known.isEmpty()) {
      return ZarrArray.open(its);
    }
    try {
      return new ZarrArray(its, ZarrMetadata.of(known.get()));
    } catch (IllegalArgumentException e) {
      throw ZarrArray.invalid(store.path(ZarrArray.METADATA) + ", \"" + path + "\"", e);
    }
  }

  /** Makes an array below this group. It is not in consolidated metadata until that is renewed. */
  public ZarrArray createArray(String path, ZarrMetadata metadata) throws IOException {
    return ZarrArray.create(store.below(path), metadata);
  }

  /** Opens a group below this group. */
  public ZarrGroup group(String path) throws IOException {
    return open(store.below(path));
  }

  /** Makes a group below this group. */
  public ZarrGroup createGroup(String path, Json.Obj itsAttributes) throws IOException {
    return create(store.below(path), itsAttributes);
  }

  /** Writes the metadata of all arrays and groups below into this group's; the group with them. */
  public ZarrGroup consolidate() throws IOException {
    Map<String, Json> all = new LinkedHashMap<>();
    collect(store, "", all);
    ZarrGroup changed = new ZarrGroup(store, attributes, Optional.of(all));
    store.write(ZarrArray.METADATA, ZarrArray.utf8(changed.json()));
    return changed;
  }

  private static void collect(ZarrStore in, String prefix, Map<String, Json> all)
      throws IOException {
    for (String name : in.directories("")) {
      ZarrStore below = in.below(name);
      if (below.size(ZarrArray.METADATA).isPresent()) {
        Json document;
        try {
          document = Json.parse(ZarrArray.text(below));
        } catch (IllegalArgumentException e) {
          throw ZarrArray.invalid(below.path(ZarrArray.METADATA), e);
        }
        all.put(prefix + name, document);
        boolean isGroup =
            document instanceof Json.Obj object
                && object.get("node_type").equals(Optional.of(new Json.Str("group")));
        if (isGroup) {
          collect(below, prefix + name + "/", all);
        }
      }
    }
  }
}
