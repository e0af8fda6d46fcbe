package org.millrace.nio;

import java.io.IOException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/** Users and groups by their names, as the cluster knows them. Stateless. */
final class Principals {

  static final UserPrincipalLookupService LOOKUP =
      new UserPrincipalLookupService() {
        @Override
        public UserPrincipal lookupPrincipalByName(String name) throws IOException {
          return new User(required(name));
        }

        @Override
        public GroupPrincipal lookupPrincipalByGroupName(String name) throws IOException {
          return new Group(required(name));
        }
      };

  private Principals() {}

  /**
   * A user.
   *
   * @param name as the cluster has it
   */
  record User(String name) implements UserPrincipal {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * A group.
   *
   * @param name as the cluster has it
   */
  record Group(String name) implements GroupPrincipal {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static String required(String name) throws UserPrincipalNotFoundException {
    if (name.isEmpty() || name.indexOf(':') >= 0 || name.indexOf('/') >= 0) {
      throw new UserPrincipalNotFoundException(name);
    }
    return name;
  }
}
