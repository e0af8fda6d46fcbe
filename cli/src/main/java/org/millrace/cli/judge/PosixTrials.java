package org.millrace.cli.judge;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The programs that judge the mount, in the order of the table. Stateless. */
final class PosixTrials {

  private static final String MPI =
      "run=mpiexec; command -v mpiexec.mpich >/dev/null && run=mpiexec.mpich; ";

  /** ROMIO's test programs, but for those that need its configuration, or only measure. */
  private static final List<String> ROMIO =
      List.of(
          "simple",
          "async",
          "async-multiple",
          "atomicity",
          "coll_test",
          "creat_excl",
          "excl",
          "file_info",
          "i_noncontig",
          "noncontig",
          "noncontig_coll",
          "noncontig_coll2",
          "aggregation1",
          "aggregation2",
          "hindexed",
          "misc",
          "shared_fp",
          "ordered_fp",
          "split_coll",
          "psimple",
          "error",
          "status",
          "types_with_zeros",
          "darray_read");

  private static final Set<String> ROMIO_ALONE = Set.of("error", "status");
  private static final Set<String> ROMIO_PAIRS =
      Set.of("i_noncontig", "noncontig", "noncontig_coll", "types_with_zeros");

  private PosixTrials() {}

  /** All of them but pjdfstest, which has many results. */
  static List<Trial> of(PosixTools tools, Path sources) {
    List<Trial> all = new ArrayList<>(fio());
    all.add(
        Trial.installed(
            "stress-ng",
            "stress-ng",
            """
            stress-ng --verify --hdd 1 --hdd-ops 2000 --flock 2 --lockf 2 --fallocate 1 --rename 1 --dir 1 \\
              --link 1 --symlink 1 --chmod 1 --dentry 1 --seek 1 --xattr 1 --open 1 --mknod 1 --utime 1 \\
              --fstat 1 --copy-file 1 -t 10
            """));
    all.add(Trial.installed("dbench", "dbench", "dbench -t 8 -D . 3"));
    all.add(git(sources));
    all.add(
        Trial.installed(
            "sqlite3",
            "sqlite3",
            """
            sqlite3 d "create table t(a integer primary key, b text); with recursive c(x) as (select 1 union all
              select x+1 from c where x<20000) insert into t select x, hex(randomblob(50)) from c;
              create index i on t(b); delete from t where a%7=0; vacuum;"
            test "$(sqlite3 d 'pragma integrity_check')" = ok
            test "$(sqlite3 d 'select count(*) from t')" = 17143
            sqlite3 d 'pragma journal_mode=wal; insert into t values(7, 1);' >/dev/null
            test "$(sqlite3 d 'pragma integrity_check; select b from t where a=7' | tr '\\n' ' ')" = 'ok 1 '
            """));
    all.addAll(arrays());
    all.addAll(built(tools));
    all.addAll(romio(tools.romio()));
    all.add(build(tools.build(), sources));
    return all;
  }

  private static List<Trial> fio() {
    String common = "fio --verify=crc32c --do_verify=1 --verify_fatal=1 --minimal --filename=f ";
    return List.of(
        Trial.installed(
            "fio, writes of 1 MiB",
            "fio",
            common + "--name=a --size=64M --bs=1M --rw=write --ioengine=psync"),
        Trial.installed(
            "fio, writes of 4 KiB by four processes",
            "fio",
            "fio --verify=crc32c --do_verify=1 --verify_fatal=1 --minimal --name=b --size=8M"
                + " --bs=4k --rw=randwrite --numjobs=4 --ioengine=psync"),
        Trial.installed(
            "fio, maps",
            "fio",
            common + "--name=c --size=32M --bs=64k --rw=randwrite --ioengine=mmap"),
        Trial.installed(
            "fio, asynchronous",
            "fio",
            common
                + "--name=d --size=64M --bs=256k --rw=randrw --ioengine=libaio --iodepth=16"
                + " --direct=1"));
  }

  private static Trial git(Path sources) {
    return new Trial(
        "git",
        "command -v git && git -C \"$1\" rev-parse",
        "git is not installed, or " + sources + " is no repository",
        """
        git clone -q --no-hardlinks "$1" r; cd r; git fsck --full --strict; git gc -q; git fsck --full
        test -z "$(git status --porcelain)"
        """,
        List.of(sources.toString()));
  }

  private static List<Trial> arrays() {
    return List.of(
        Trial.python(
            "NumPy, load and memmap",
            "numpy",
            """
            import numpy as np
            a = np.arange(1 << 20, dtype='f8'); np.save('a.npy', a)
            assert (np.load('a.npy') == a).all()
            assert (np.load('a.npy', mmap_mode='r') == a).all()
            m = np.load('a.npy', mmap_mode='r+'); m[5::7] = -1; m.flush(); a[5::7] = -1
            assert (np.load('a.npy') == a).all()
            w = np.memmap('w', dtype='f8', mode='w+', shape=a.shape); w[:] = a[::-1]; w.flush()
            assert (np.fromfile('w') == a[::-1]).all()
            """),
        Trial.python(
            "h5py",
            "h5py",
            """
            import h5py, numpy as np
            a = np.arange(1 << 18, dtype='i4').reshape(512, 512)
            with h5py.File('a.h5', 'w') as f:
                f.create_dataset('x/y', data=a, chunks=(64, 64), compression='gzip'); f['x'].attrs['k'] = 'v'
            with h5py.File('a.h5', 'r+') as f:
                f['x/y'][100:200, 7] = 5
            a[100:200, 7] = 5
            with h5py.File('a.h5', 'r') as f:
                assert (f['x/y'][:] == a).all() and f['x'].attrs['k'] == 'v'
            """));
  }

  private static List<Trial> built(PosixTools tools) {
    String count = "" + tools.operations();
    return List.of(
        built("fsx, with maps", "--fsx", tools.fsx(), "\"$1\" -N " + count + " -q -S 11 f"),
        built(
            "fsx, without maps", "--fsx", tools.fsx(), "\"$1\" -N " + count + " -q -R -W -S 12 f"),
        built(
            "fsx, larger",
            "--fsx",
            tools.fsx(),
            "\"$1\" -N " + count + " -q -S 13 -o 300000 -l 3000000 f"),
        built(
            "IOR, MPI-IO, collective, data checked",
            "--ior",
            tools.ior(),
            MPI + "$run -n 2 \"$1\" -a MPIIO -c -w -r -W -R -t 256k -b 4m -s 2 -o f"),
        built(
            "IOR, POSIX, one file for each, data checked",
            "--ior",
            tools.ior(),
            MPI + "$run -n 2 \"$1\" -a POSIX -F -w -r -W -R -C -t 64k -b 4m -o f"),
        built("mdtest", "--mdtest", tools.mdtest(), MPI + "$run -n 2 \"$1\" -n 100 -u -d ."));
  }

  /** As ROMIO's own script runs them, by as many processes. Each says so if it finds no error. */
  private static List<Trial> romio(Optional<Path> folder) {
    List<Trial> all = new ArrayList<>();
    for (String test : ROMIO) {
      int processes = ROMIO_ALONE.contains(test) ? 1 : ROMIO_PAIRS.contains(test) ? 2 : 4;
      String arguments = test.equals("aggregation1") ? "-h -f" : "-fname";
      all.add(
          built(
              "ROMIO, " + test,
              "--romio",
              folder.map(path -> path.resolve(test)),
              MPI
                  + "$run -n %s \"$1\" %s \"$PWD/f\" | tee said; grep -qi 'no errors' said"
                      .formatted(processes, arguments)));
    }
    return all;
  }

  private static Trial build(boolean wanted, Path sources) {
    return new Trial(
        "Maven, a build of this repository",
        wanted ? "command -v mvn && git -C \"$1\" rev-parse" : "false",
        "not asked for with --build, or there is no Maven or no repository",
        """
        git clone -q --no-hardlinks "$1" r; cd r; mvn -o -q -B -Dfast -Dmaven.test.skip=true package
        """,
        List.of(sources.toString()));
  }

  private static Trial built(String name, String option, Optional<Path> program, String script) {
    return new Trial(
        name,
        program.isPresent() ? "test -x \"$1\"" : "false",
        "not named; build it from its sources and name it with " + option,
        script,
        program.map(path -> List.of(path.toString())).orElse(List.of()));
  }
}
