package org.millrace.server;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileStatus;
import org.millrace.output.Json;

/** What is said of files and directories in JSON. Stateless. */
final class Facts {

  private Facts() {}

  static Map<String, @Nullable Object> of(String name, FileStatus status) {
    FileStatus.Times times = status.times();
    return Json.object(
        "name", name,
        "kind", status.kind().name().toLowerCase(Locale.ROOT),
        "size", status.size(),
        "etag", Tags.of(status),
        "id", status.id(),
        "permissions", "%o".formatted(status.permissions()),
        "owner", status.owner(),
        "group", status.group(),
        "links", status.links(),
        "modifiedNanos", times.modified(),
        "changedNanos", times.changed(),
        "accessedNanos", times.accessed(),
        "createdNanos", times.created());
  }
}
