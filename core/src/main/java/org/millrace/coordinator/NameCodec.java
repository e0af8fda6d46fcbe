package org.millrace.coordinator;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.FileFacts;
import org.millrace.protocol.NodeUse;

/**
 * The bytes of a {@link NameChange}; {@code docs/journal.md} has the grammar. Little-endian:
 *
 * <pre>
 *   u8 version = 7 | u8 kind | fields in the order of the record
 *   long: i64    int: i32    boolean: u8 0 or 1    text: u16 bytes, UTF-8
 *   layout: i64 stripe unit | i32 block size | i32 strands | i32 node per strand
 *   list: i32 count | for each: u8 kind | its fields
 *   answer: u8 0 none | 1 done | 2 value, i64 | 3 about, an entry | 4 at, facts
 *     | 5 gone, optional facts | 6 opened, i64 id
 *   entry: text path | i64 id | text owner | text group | i32 mode bits | i64 made at
 *     | boolean confirmed | i32 copies | i32 missing | boolean is a file | layout of a file
 *   facts: i64 id | u8 kind | text owner | text group | i32 mode bits | stamps | i64 links
 *     | i64 size | i64 device | optional layout | i64 epoch of copies
 *   stamps: i64 accessed, modified, changed, created, witness
 *   optional: u8 0 | u8 1 and the value    bytes: i32 count and the bytes
 * </pre>
 *
 * Older versions are still read. Version 6 had no links, and no kinds beyond the 25th. Version 5
 * had no answers, and no kinds beyond the 23rd. Version 4 had no copies, and no kinds beyond the
 * thirteenth. Version 3 had no kinds beyond the eleventh. Version 2 had no block sizes: its files
 * have blocks of 64 KiB. Version 1 had no groups, either, and no kinds beyond the seventh.
 * Stateless.
 */
final class NameCodec {

  static final byte VERSION = 7;

  private static final byte WITHOUT_LINKS = 6;
  private static final byte WITHOUT_ANSWERS = 5;
  private static final byte WITHOUT_COPIES = 4;
  private static final byte WITHOUT_LIVES = 3;
  private static final byte WITHOUT_BLOCK_SIZES = 2;
  private static final byte WITHOUT_GROUPS = 1;

  private static final byte BEGIN = 1;
  private static final byte MAKE_DIRECTORY = 2;
  private static final byte CREATE_FILE = 3;
  private static final byte CONFIRM = 4;
  private static final byte RENAME = 5;
  private static final byte REMOVE = 6;
  private static final byte SET_PERMISSIONS = 7;
  private static final byte SET_GROUP = 8;
  private static final byte GONE = 9;
  private static final byte FORGET = 10;
  private static final byte TOGETHER = 11;
  private static final byte LIFE = 12;
  private static final byte NODE_EPOCH = 13;
  private static final byte COPIED = 14;
  private static final byte STRAND_COPIES = 15;
  private static final byte DIRECTORY_COPIES = 16;
  private static final byte NODE_SINCE = 17;
  private static final byte NODE_LOST = 18;
  private static final byte NODE_LOST_AT = 19;
  private static final byte NODE_STATE = 20;
  private static final byte STRANDS_LOST = 21;
  private static final byte NODE_REPLACED = 22;
  private static final byte STRAND_MOVED = 23;
  private static final byte ANSWERED = 24;
  private static final byte HEARD = 25;
  private static final byte MAKE = 26;
  private static final byte LINK = 27;
  private static final byte UNLINK = 28;
  private static final byte MOVE = 29;
  private static final byte EXCHANGE = 30;
  private static final byte DROP = 31;
  private static final byte SET_ATTRIBUTES = 32;
  private static final byte SET_EXTENDED = 33;

  private static final byte NO_ANSWER = 0;
  private static final byte DONE = 1;
  private static final byte VALUE = 2;
  private static final byte ABOUT = 3;
  private static final byte AT = 4;
  private static final byte GONE_WITH = 5;
  private static final byte OPENED = 6;

  private static final int FIXED_BYTES = 128;

  private NameCodec() {}

  static byte[] encode(NameChange change) {
    ByteBuffer out = ByteBuffer.allocate(roomFor(change)).order(ByteOrder.LITTLE_ENDIAN);
    out.put(VERSION);
    put(out, change);
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static void put(ByteBuffer out, NameChange change) {
    switch (change) {
      case NameChange.Begin c -> out.put(BEGIN).putLong(c.nextId());
      case NameChange.MakeDirectory c -> {
        putName(out.put(MAKE_DIRECTORY).putLong(c.id()), c.parent(), c.name());
        putOwner(out, c.owner(), c.group());
        out.putInt(c.permissions()).putLong(c.createdMillis());
      }
      case NameChange.CreateFile c -> {
        putName(out.put(CREATE_FILE).putLong(c.id()), c.parent(), c.name());
        putOwner(out, c.owner(), c.group());
        out.putInt(c.permissions()).putLong(c.createdMillis());
        putBoolean(out, c.confirmed());
        putLayout(out, c.layout());
      }
      case NameChange.Confirm c -> {
        out.put(CONFIRM).putLong(c.id());
        putBoolean(out, c.confirmed());
      }
      case NameChange.Rename c -> {
        out.put(RENAME).putLong(c.id()).putLong(c.parent());
        putText(out, c.name());
      }
      case NameChange.Remove c -> out.put(REMOVE).putLong(c.id());
      case NameChange.SetPermissions c ->
          out.put(SET_PERMISSIONS).putLong(c.id()).putInt(c.permissions());
      case NameChange.SetGroup c -> {
        out.put(SET_GROUP).putLong(c.id());
        putText(out, c.group());
      }
      case NameChange.Gone c -> {
        out.put(GONE).putLong(c.id());
        putLayout(out, c.layout());
      }
      case NameChange.Forget c -> out.put(FORGET).putLong(c.id());
      case NameChange.Life c -> {
        out.put(LIFE).putLong(c.number()).putLong(c.mark());
        putBoolean(out, c.ended());
      }
      case NameChange.NodeEpoch c -> out.put(NODE_EPOCH).putInt(c.node()).putLong(c.epoch());
      case NameChange.Copied c ->
          out.put(COPIED).putLong(c.id()).putInt(c.copies()).putInt(c.spread()).putLong(c.epoch());
      case NameChange.StrandCopies c -> {
        out.put(STRAND_COPIES).putLong(c.id()).putInt(c.strand()).putLong(c.set().epoch());
        putNodes(out, c.set().inSync());
        putNodes(out, c.set().missing());
      }
      case NameChange.DirectoryCopies c ->
          out.put(DIRECTORY_COPIES).putLong(c.id()).putInt(c.copies());
      case NameChange.NodeSince c -> out.put(NODE_SINCE).putInt(c.node()).putLong(c.epoch());
      case NameChange.NodeLost c -> {
        out.put(NODE_LOST).putInt(c.node()).putLong(c.epoch());
        putNodes(out, c.down());
      }
      case NameChange.NodeLostAt c -> out.put(NODE_LOST_AT).putInt(c.node()).putLong(c.epoch());
      case NameChange.NodeState c ->
          out.put(NODE_STATE).putInt(c.node()).put((byte) c.use().number());
      case NameChange.StrandsLost c -> {
        out.put(STRANDS_LOST).putLong(c.id());
        putNodes(out, c.strands());
      }
      case NameChange.NodeReplaced c -> out.put(NODE_REPLACED).putInt(c.node()).putLong(c.epoch());
      case NameChange.StrandMoved c ->
          out.put(STRAND_MOVED).putLong(c.id()).putInt(c.strand()).putInt(c.node());
      case NameChange.Answered c -> putAnswered(out, c);
      case NameChange.Heard c -> out.put(HEARD).putLong(c.asker()).putLong(c.below());
      case NameChange.Make _,
          NameChange.Link _,
          NameChange.Unlink _,
          NameChange.Move _,
          NameChange.Exchange _,
          NameChange.Drop _,
          NameChange.SetAttributes _,
          NameChange.SetExtended _ ->
          putOfTree(out, change);
      case NameChange.Together c -> putAll(out, c.changes());
    }
  }

  private static void putAll(ByteBuffer out, List<NameChange> changes) {
    out.put(TOGETHER).putInt(changes.size());
    changes.forEach(one -> put(out, one));
  }

  private static void putAnswered(ByteBuffer out, NameChange.Answered c) {
    out.put(ANSWERED).putLong(c.asker()).putLong(c.request()).putLong(c.heard());
    putAnswer(out, c.answer());
  }

  private static void putOfTree(ByteBuffer out, NameChange change) {
    switch (change) {
      case NameChange.Make c -> {
        out.put(MAKE).putLong(c.id()).put(number(c.kind()));
        putOwner(out, c.owner(), c.group());
        out.putInt(c.permissions());
        putStamps(out, c.stamps());
        putBoolean(out, c.confirmed());
        putBoolean(out, c.layout().isPresent());
        c.layout().ifPresent(layout -> putLayout(out, layout));
        putText(out, c.target());
        out.putLong(c.device());
      }
      case NameChange.Link c -> {
        out.put(LINK).putLong(c.id());
        putName(out, c.parent(), c.name()).putLong(c.at());
      }
      case NameChange.Unlink c -> putName(out.put(UNLINK), c.parent(), c.name()).putLong(c.at());
      case NameChange.Move c -> {
        putName(out.put(MOVE), c.parent(), c.name());
        putName(out, c.toParent(), c.toName()).putLong(c.at());
      }
      case NameChange.Exchange c -> {
        putName(out.put(EXCHANGE), c.parent(), c.name());
        putName(out, c.otherParent(), c.otherName()).putLong(c.at());
      }
      case NameChange.Drop c -> out.put(DROP).putLong(c.id());
      case NameChange.SetAttributes c -> {
        out.put(SET_ATTRIBUTES).putLong(c.id());
        putOwner(out, c.owner(), c.group());
        out.putInt(c.permissions());
        putStamps(out, c.stamps());
      }
      case NameChange.SetExtended c -> {
        out.put(SET_EXTENDED).putLong(c.id());
        putText(out, c.name());
        putBoolean(out, c.value().isPresent());
        c.value().ifPresent(value -> out.putInt(value.length()).put(value.toArray()));
        out.putLong(c.at());
      }
      default -> throw new IllegalArgumentException("written elsewhere: " + change);
    }
  }

  static NameChange decode(byte[] bytes) throws MillraceException {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      byte version = in.get();
      if (version < WITHOUT_GROUPS || version > VERSION) {
        throw corrupt("version " + version + " instead of " + VERSION);
      }
      NameChange change = decodeKind(in, version);
      if (in.hasRemaining()) {
        throw corrupt(in.remaining() + " bytes too many");
      }
      return change;
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw corrupt(e.toString());
    }
  }

  private static NameChange decodeKind(ByteBuffer in, byte version) throws MillraceException {
    byte kind = in.get();
    if (version == WITHOUT_GROUPS && kind > SET_PERMISSIONS
        || version <= WITHOUT_LIVES && kind > TOGETHER
        || version <= WITHOUT_COPIES && kind > NODE_EPOCH
        || version <= WITHOUT_ANSWERS && kind > STRAND_MOVED
        || version <= WITHOUT_LINKS && kind > HEARD) {
      throw corrupt("kind " + kind + " in version " + version);
    }
    return switch (kind) {
      case BEGIN -> new NameChange.Begin(in.getLong());
      case MAKE_DIRECTORY ->
          new NameChange.MakeDirectory(
              in.getLong(),
              in.getLong(),
              text(in),
              text(in),
              group(in, version),
              in.getInt(),
              in.getLong());
      case CREATE_FILE ->
          new NameChange.CreateFile(
              in.getLong(),
              in.getLong(),
              text(in),
              text(in),
              group(in, version),
              in.getInt(),
              in.getLong(),
              flag(in),
              layout(in, version));
      case CONFIRM -> new NameChange.Confirm(in.getLong(), flag(in));
      case LIFE -> new NameChange.Life(in.getLong(), in.getLong(), flag(in));
      case RENAME -> new NameChange.Rename(in.getLong(), in.getLong(), text(in));
      case REMOVE -> new NameChange.Remove(in.getLong());
      case SET_PERMISSIONS -> new NameChange.SetPermissions(in.getLong(), in.getInt());
      case SET_GROUP -> new NameChange.SetGroup(in.getLong(), text(in));
      case GONE -> new NameChange.Gone(in.getLong(), layout(in, version));
      case FORGET -> new NameChange.Forget(in.getLong());
      case TOGETHER -> together(in, version);
      case NODE_EPOCH -> new NameChange.NodeEpoch(in.getInt(), in.getLong());
      case COPIED -> new NameChange.Copied(in.getLong(), in.getInt(), in.getInt(), in.getLong());
      case STRAND_COPIES ->
          new NameChange.StrandCopies(
              in.getLong(), in.getInt(), new CopySet(in.getLong(), nodes(in), nodes(in)));
      case DIRECTORY_COPIES -> new NameChange.DirectoryCopies(in.getLong(), in.getInt());
      case NODE_SINCE -> new NameChange.NodeSince(in.getInt(), in.getLong());
      case NODE_LOST -> new NameChange.NodeLost(in.getInt(), in.getLong(), nodes(in));
      case NODE_LOST_AT -> new NameChange.NodeLostAt(in.getInt(), in.getLong());
      case NODE_STATE -> new NameChange.NodeState(in.getInt(), NodeUse.of(in.get()));
      case STRANDS_LOST -> new NameChange.StrandsLost(in.getLong(), nodes(in));
      case NODE_REPLACED -> new NameChange.NodeReplaced(in.getInt(), in.getLong());
      case STRAND_MOVED -> new NameChange.StrandMoved(in.getLong(), in.getInt(), in.getInt());
      case ANSWERED ->
          new NameChange.Answered(in.getLong(), in.getLong(), in.getLong(), answer(in, version));
      case HEARD -> new NameChange.Heard(in.getLong(), in.getLong());
      default -> decodeOfTree(in, kind, version);
    };
  }

  private static NameChange decodeOfTree(ByteBuffer in, byte kind, byte version)
      throws MillraceException {
    return switch (kind) {
      case MAKE ->
          new NameChange.Make(
              in.getLong(),
              kind(in),
              text(in),
              text(in),
              in.getInt(),
              stamps(in),
              flag(in),
              flag(in) ? Optional.of(layout(in, version)) : Optional.empty(),
              text(in),
              in.getLong());
      case LINK -> new NameChange.Link(in.getLong(), in.getLong(), text(in), in.getLong());
      case UNLINK -> new NameChange.Unlink(in.getLong(), text(in), in.getLong());
      case MOVE ->
          new NameChange.Move(in.getLong(), text(in), in.getLong(), text(in), in.getLong());
      case EXCHANGE ->
          new NameChange.Exchange(in.getLong(), text(in), in.getLong(), text(in), in.getLong());
      case DROP -> new NameChange.Drop(in.getLong());
      case SET_ATTRIBUTES ->
          new NameChange.SetAttributes(in.getLong(), text(in), text(in), in.getInt(), stamps(in));
      case SET_EXTENDED ->
          new NameChange.SetExtended(
              in.getLong(),
              text(in),
              flag(in) ? Optional.of(value(in)) : Optional.empty(),
              in.getLong());
      default -> throw corrupt("unknown kind " + kind);
    };
  }

  private static NameChange together(ByteBuffer in, byte version) throws MillraceException {
    int count = in.getInt();
    if (count < 0 || count > in.remaining()) {
      throw corrupt(count + " changes in " + in.remaining() + " bytes");
    }
    List<NameChange> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte kind = in.mark().get();
      in.reset();
      if (kind == TOGETHER) { // or a few bytes would be a deep recursion
        throw corrupt("changes together within changes together");
      }
      changes.add(decodeKind(in, version));
    }
    return new NameChange.Together(changes);
  }

  private static int roomFor(NameChange change) {
    return switch (change) {
      case NameChange.MakeDirectory c ->
          FIXED_BYTES + room(c.name()) + room(c.owner()) + room(c.group());
      case NameChange.CreateFile c ->
          FIXED_BYTES
              + room(c.name())
              + room(c.owner())
              + room(c.group())
              + Integer.BYTES * c.layout().nodes().size();
      case NameChange.Rename c -> FIXED_BYTES + room(c.name());
      case NameChange.Make c ->
          FIXED_BYTES
              + room(c.owner())
              + room(c.group())
              + room(c.target())
              + Integer.BYTES * c.layout().map(layout -> layout.nodes().size()).orElse(0);
      case NameChange.Link c -> FIXED_BYTES + room(c.name());
      case NameChange.Unlink c -> FIXED_BYTES + room(c.name());
      case NameChange.Move c -> FIXED_BYTES + room(c.name()) + room(c.toName());
      case NameChange.Exchange c -> FIXED_BYTES + room(c.name()) + room(c.otherName());
      case NameChange.SetAttributes c -> FIXED_BYTES + room(c.owner()) + room(c.group());
      case NameChange.SetExtended c ->
          FIXED_BYTES + room(c.name()) + c.value().map(Bytes::length).orElse(0);
      case NameChange.SetGroup c -> FIXED_BYTES + room(c.group());
      case NameChange.Gone c -> FIXED_BYTES + Integer.BYTES * c.layout().nodes().size();
      case NameChange.NodeLost c -> FIXED_BYTES + Integer.BYTES * c.down().size();
      case NameChange.StrandsLost c -> FIXED_BYTES + Integer.BYTES * c.strands().size();
      case NameChange.Answered c -> FIXED_BYTES + roomFor(c.answer());
      case NameChange.Together c ->
          FIXED_BYTES + c.changes().stream().mapToInt(NameCodec::roomFor).sum();
      default -> FIXED_BYTES;
    };
  }

  private static int roomFor(KeptAnswer answer) {
    return switch (answer) {
      case KeptAnswer.About(FileEntry entry) ->
          FIXED_BYTES
              + room(entry.path())
              + room(entry.owner())
              + room(entry.group())
              + Integer.BYTES * entry.layout().map(layout -> layout.nodes().size()).orElse(0);
      case KeptAnswer.At(FileFacts facts) -> roomFor(facts);
      case KeptAnswer.Gone(Optional<FileFacts> file) -> file.map(NameCodec::roomFor).orElse(0);
      case KeptAnswer.None _, KeptAnswer.Done _, KeptAnswer.Value _, KeptAnswer.Opened _ -> 0;
    };
  }

  private static int roomFor(FileFacts facts) {
    return FIXED_BYTES
        + room(facts.status().owner())
        + room(facts.status().group())
        + Integer.BYTES * facts.layout().map(layout -> layout.nodes().size()).orElse(0);
  }

  private static void putAnswer(ByteBuffer out, KeptAnswer answer) {
    switch (answer) {
      case KeptAnswer.None _ -> out.put(NO_ANSWER);
      case KeptAnswer.Done _ -> out.put(DONE);
      case KeptAnswer.Value(long value) -> out.put(VALUE).putLong(value);
      case KeptAnswer.About(FileEntry entry) -> {
        out.put(ABOUT);
        putText(out, entry.path());
        out.putLong(entry.id());
        putText(out, entry.owner());
        putText(out, entry.group());
        out.putInt(entry.permissions()).putLong(entry.createdMillis());
        putBoolean(out, entry.confirmed());
        out.putInt(entry.copies()).putInt(entry.missing());
        putBoolean(out, entry.layout().isPresent());
        entry.layout().ifPresent(layout -> putLayout(out, layout));
      }
      case KeptAnswer.At(FileFacts facts) -> putFacts(out.put(AT), facts);
      case KeptAnswer.Gone(Optional<FileFacts> file) -> {
        putBoolean(out.put(GONE_WITH), file.isPresent());
        file.ifPresent(facts -> putFacts(out, facts));
      }
      case KeptAnswer.Opened(long file) -> out.put(OPENED).putLong(file);
    }
  }

  private static void putFacts(ByteBuffer out, FileFacts facts) {
    FileStatus status = facts.status();
    FileStatus.Times times = status.times();
    out.putLong(status.id()).put(number(status.kind()));
    putOwner(out, status.owner(), status.group());
    out.putInt(status.permissions());
    putStamps(
        out,
        new Stamps(
            times.accessed(), times.modified(), times.changed(), times.created(), facts.witness()));
    out.putLong(status.links()).putLong(status.size()).putLong(status.device());
    putBoolean(out, facts.layout().isPresent());
    facts.layout().ifPresent(layout -> putLayout(out, layout));
    out.putLong(facts.copyEpoch());
  }

  private static FileFacts facts(ByteBuffer in, byte version) {
    long id = in.getLong();
    FileKind kind = kind(in);
    String owner = text(in);
    String group = text(in);
    int permissions = in.getInt();
    Stamps stamps = stamps(in);
    long links = in.getLong();
    long size = in.getLong();
    long device = in.getLong();
    Optional<Layout> layout = flag(in) ? Optional.of(layout(in, version)) : Optional.empty();
    return new FileFacts(
        new FileStatus(id, kind, permissions, owner, group, links, size, stamps.times(), device),
        layout,
        in.getLong(),
        stamps.witness());
  }

  private static KeptAnswer answer(ByteBuffer in, byte version) throws MillraceException {
    byte kind = in.get();
    if (version <= WITHOUT_LINKS && kind > ABOUT) {
      throw corrupt("answer " + kind + " in version " + version);
    }
    return switch (kind) {
      case NO_ANSWER -> new KeptAnswer.None();
      case DONE -> new KeptAnswer.Done();
      case VALUE -> new KeptAnswer.Value(in.getLong());
      case ABOUT -> new KeptAnswer.About(entry(in, version));
      case AT -> new KeptAnswer.At(facts(in, version));
      case GONE_WITH ->
          new KeptAnswer.Gone(flag(in) ? Optional.of(facts(in, version)) : Optional.empty());
      case OPENED -> new KeptAnswer.Opened(in.getLong());
      default -> throw corrupt("unknown answer " + kind);
    };
  }

  private static FileEntry entry(ByteBuffer in, byte version) {
    String path = text(in);
    long id = in.getLong();
    String owner = text(in);
    String group = text(in);
    int permissions = in.getInt();
    long createdMillis = in.getLong();
    boolean confirmed = flag(in);
    int copies = in.getInt();
    int missing = in.getInt();
    Optional<Layout> layout = flag(in) ? Optional.of(layout(in, version)) : Optional.empty();
    return new FileEntry(
        path, id, layout, owner, group, permissions, createdMillis, confirmed, copies, missing);
  }

  private static int room(String text) {
    return 3 * text.length();
  }

  private static void putText(ByteBuffer out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > 0xffff) {
      throw new IllegalArgumentException("text of " + utf8.length + " bytes, more than 65535");
    }
    out.putShort((short) utf8.length).put(utf8);
  }

  private static ByteBuffer putName(ByteBuffer out, long parent, String name) {
    out.putLong(parent);
    putText(out, name);
    return out;
  }

  private static void putOwner(ByteBuffer out, String owner, String group) {
    putText(out, owner);
    putText(out, group);
  }

  private static void putStamps(ByteBuffer out, Stamps stamps) {
    out.putLong(stamps.accessed()).putLong(stamps.modified()).putLong(stamps.changed());
    out.putLong(stamps.created()).putLong(stamps.witness());
  }

  private static Stamps stamps(ByteBuffer in) {
    return new Stamps(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }

  @SuppressWarnings("EnumOrdinal") // docs/journal.md says which is which, as the protocol does
  private static byte number(FileKind kind) {
    return (byte) kind.ordinal();
  }

  @SuppressWarnings("EnumOrdinal") // as above
  private static FileKind kind(ByteBuffer in) {
    byte number = in.get();
    if (number < 0 || number >= FileKind.values().length) {
      throw new IllegalArgumentException("kind " + number + " of a file");
    }
    return FileKind.values()[number];
  }

  private static Bytes value(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining()) {
      throw new IllegalArgumentException(count + " bytes in " + in.remaining());
    }
    byte[] bytes = new byte[count];
    in.get(bytes);
    return Bytes.of(bytes);
  }

  private static String text(ByteBuffer in) {
    byte[] utf8 = new byte[Short.toUnsignedInt(in.getShort())];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static String group(ByteBuffer in, byte version) {
    return version == WITHOUT_GROUPS ? "" : text(in);
  }

  private static void putBoolean(ByteBuffer out, boolean value) {
    out.put((byte) (value ? 1 : 0));
  }

  private static boolean flag(ByteBuffer in) {
    byte value = in.get();
    if (value < 0 || value > 1) {
      throw new IllegalArgumentException("flag " + value + " is neither 0 nor 1");
    }
    return value == 1;
  }

  private static void putLayout(ByteBuffer out, Layout layout) {
    out.putLong(layout.stripeUnitBytes()).putInt(layout.blockBytes());
    putNodes(out, layout.nodes());
  }

  private static void putNodes(ByteBuffer out, List<Integer> nodes) {
    out.putInt(nodes.size());
    for (int node : nodes) {
      out.putInt(node);
    }
  }

  private static Layout layout(ByteBuffer in, byte version) {
    long unit = in.getLong();
    int block = version <= WITHOUT_BLOCK_SIZES ? Layout.DEFAULT_BLOCK_BYTES : in.getInt();
    return new Layout(unit, block, nodes(in));
  }

  private static List<Integer> nodes(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / Integer.BYTES) {
      throw new IllegalArgumentException(count + " nodes in " + in.remaining() + " bytes");
    }
    List<Integer> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(in.getInt());
    }
    return nodes;
  }

  private static MillraceException corrupt(String what) {
    return MillraceException.of(ErrorCode.CORRUPT, "journal record: " + what);
  }
}
