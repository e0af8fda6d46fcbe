package org.millrace.cli.files;

import java.util.List;

/** The commands for files, in the order of the help. Stateless. */
public final class FileCommands {

  /** All of them. */
  public static final List<Class<?>> ALL =
      List.of(
          LsCommand.class,
          FindCommand.class,
          DuCommand.class,
          StatCommand.class,
          PutCommand.class,
          GetCommand.class,
          CatCommand.class,
          CpCommand.class,
          MvCommand.class,
          RmCommand.class,
          MkdirCommand.class,
          ChmodCommand.class,
          ChownCommand.class,
          SyncCommand.class,
          CopiesCommand.class);

  private FileCommands() {}
}
