/*
 * mpiio.c - the workloads of `millrace bench` through MPI-IO.
 *
 *   mpirun -n RANKS mpiio workloads=FILE data=FILE [cold=1] [hint=KEY=VALUE]...
 *
 * The data file holds at byte 8k the little-endian word k, and holds it again when the program ends
 * in order. What to do stands in the workload file, lines of words:
 *
 *   millrace-workloads 1
 *   ranks RANKS
 *   workload NUMBER FILE_BYTES                  FILE_BYTES: how much of the data file belongs to it
 *   part OFFSET RUN_BYTES [COUNT:STRIDE]...     RANKS of them; loops over a run, innermost first
 *   case OP METHOD LAPS BUDGET LIMIT            read|write, independent|collective; the last two in
 *   ...                                         milliseconds
 *   end
 *
 * Each case is one view per rank; a lap is one call of each rank, or as many as take REPEAT_SECONDS
 * where one is quick. The first lap warms up; it counts only if it used up BUDGET, after which no lap
 * begins. A lap that takes longer than LIMIT ends the program. Opening and setting the view are not
 * timed. A lap lasts from the first rank's start after a barrier to the last one's end, by the clock
 * that all processes of a machine share.
 *
 * Every byte read is checked in every lap. Writes alternate between words and their complements, so
 * that a write that did not happen is noticed; what was written is checked in every lap, the bytes
 * between at the end of a case.
 *
 * Rank 0 prints lines that begin with "mpiio" (launchers print others):
 *
 *   mpiio library TEXT
 *   mpiio begin NUMBER OP METHOD
 *   mpiio sample NUMBER OP METHOD NANOSECONDS
 *   mpiio cut NUMBER OP METHOD NANOSECONDS      took longer than that; the data file is to be made anew
 *   mpiio wrong NUMBER OP METHOD PLACE FOUND EXPECTED
 *   mpiio failed TEXT                           by whichever rank
 *   mpiio done
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 8, MOST_LOOPS = 8, EXIT_FAILED = 1, EXIT_WRONG = 4, EXIT_CUT = 5 };

typedef struct {
    int64_t count, stride;
} Loop;

/* What one rank wants of the file. */
typedef struct {
    int64_t offset, run;
    int loops;
    Loop loop[MOST_LOOPS];
} Part;

typedef struct {
    int number;
    int64_t file_bytes;
    Part *parts; /* by rank */
    char *covered; /* one byte for each word of the file; on rank 0, when first needed */
} Workload;

typedef struct {
    int write, collective, laps;
    double budget, limit; /* seconds */
} Case;

/* The walk over the runs of a part, in file order. */
typedef struct {
    const Part *part;
    int64_t at;
    int64_t index[MOST_LOOPS];
    int more;
} Walk;

/* A word that is not what it should be. */
typedef struct {
    int64_t place;
    uint64_t found, expected;
} Wrong;

static const int64_t NOWHERE = INT64_MAX;
static const double REPEAT_SECONDS = 0.01;
enum { MOST_REPEATS = 50 };

static int ranks, me;
static const char *data_path;
static int cold;
static MPI_Info hints = MPI_INFO_NULL;
static char cut_line[200]; /* what the alarm prints: it may not format */

/* ---- failing ---- */

static void fail(const char *format, ...)
{
    va_list args;
    char text[500];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    printf("mpiio failed rank %d: %s\n", me, text);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    exit(EXIT_FAILED);
}

static void check_mpi(int status, const char *what)
{
    if (status != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(status, text, &length);
        fail("%s: %s", what, text);
    }
}

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, bytes ? bytes : WORD) != 0)
        fail("no memory for %zu bytes", bytes);
    return memory;
}

/* ---- parts ---- */

static int64_t part_bytes(const Part *part)
{
    int64_t bytes = part->run;
    for (int i = 0; i < part->loops; i++)
        bytes *= part->loop[i].count;
    return bytes;
}

/* Makes runs that touch into one, so that no library can be accused of not seeing it. */
static void simplify(Part *part)
{
    int kept = 0;
    int64_t span = part->run; /* of a contiguous beginning; 0 if there are gaps already */
    for (int i = 0; i < part->loops; i++) {
        Loop loop = part->loop[i];
        if (loop.count == 1)
            continue;
        if (kept == 0 && loop.stride == span) {
            part->run = span = span * loop.count;
        } else {
            part->loop[kept++] = loop;
            span = 0;
        }
    }
    part->loops = kept;
}

static Walk walk(const Part *part)
{
    Walk w = {.part = part, .at = part->offset, .more = part_bytes(part) > 0};
    return w;
}

static void next_run(Walk *w)
{
    for (int i = 0; i < w->part->loops; i++) {
        const Loop *loop = &w->part->loop[i];
        w->at += loop->stride;
        if (++w->index[i] < loop->count)
            return;
        w->at -= loop->stride * loop->count;
        w->index[i] = 0;
    }
    w->more = 0;
}

/* ---- content ---- */

static uint64_t word_at(int64_t place, int flipped)
{
    uint64_t word = (uint64_t)place / WORD;
    return flipped ? ~word : word;
}

/* Fills packed memory with what belongs to the part. */
static void fill(const Part *part, uint64_t *memory, int flipped)
{
    for (Walk w = walk(part); w.more; next_run(&w))
        for (int64_t i = 0; i < part->run; i += WORD)
            *memory++ = word_at(w.at + i, flipped);
}

static int differs(int64_t place, uint64_t found, int flipped, Wrong *wrong)
{
    uint64_t expected = word_at(place, flipped);
    if (found == expected)
        return 0;
    *wrong = (Wrong){place, found, expected};
    return 1;
}

static void check_memory(const Part *part, const uint64_t *memory, Wrong *wrong)
{
    for (Walk w = walk(part); w.more; next_run(&w))
        for (int64_t i = 0; i < part->run; i += WORD)
            if (differs(w.at + i, *memory++, 0, wrong))
                return;
}

static void check_file(const Part *part, const uint64_t *file, int flipped, Wrong *wrong)
{
    for (Walk w = walk(part); w.more; next_run(&w))
        for (int64_t i = 0; i < part->run; i += WORD)
            if (differs(w.at + i, file[(w.at + i) / WORD], flipped, wrong))
                return;
}

/* Checks the bytes that belong to no rank: nobody may have touched them. */
static void check_between(Workload *workload, const uint64_t *file, Wrong *wrong)
{
    int64_t words = workload->file_bytes / WORD;
    if (workload->covered == NULL) {
        workload->covered = allocate((size_t)words);
        memset(workload->covered, 0, (size_t)words);
        for (int r = 0; r < ranks; r++)
            for (Walk w = walk(&workload->parts[r]); w.more; next_run(&w))
                memset(workload->covered + w.at / WORD, 1,
                       (size_t)(workload->parts[r].run / WORD));
    }
    for (int64_t i = 0; i < words; i++)
        if (!workload->covered[i] && differs(i * WORD, file[i], 0, wrong))
            return;
}

static uint64_t *map_data(const Workload *workload)
{
    int fd = open(data_path, O_RDWR);
    if (fd < 0)
        fail("%s: %s", data_path, strerror(errno));
    void *file = mmap(NULL, (size_t)workload->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        fail("mapping %s: %s", data_path, strerror(errno));
    close(fd);
    return file;
}

/* ---- reading the workload file ---- */

static void syntax(const char *line)
{
    fail("cannot read the workload file: %s", line);
}

static Part read_part(char *line)
{
    Part part = {0};
    char *rest = NULL;
    strtok_r(line, " \n", &rest);
    char *offset = strtok_r(NULL, " \n", &rest), *run = strtok_r(NULL, " \n", &rest);
    if (offset == NULL || run == NULL)
        syntax("a part needs an offset and a run");
    part.offset = strtoll(offset, NULL, 10);
    part.run = strtoll(run, NULL, 10);
    for (char *loop; (loop = strtok_r(NULL, " \n", &rest)) != NULL; part.loops++) {
        if (part.loops == MOST_LOOPS)
            syntax("too many loops");
        Loop *l = &part.loop[part.loops];
        if (sscanf(loop, "%" SCNd64 ":%" SCNd64, &l->count, &l->stride) != 2)
            syntax(loop);
        if (l->stride % WORD != 0)
            syntax("strides must be multiples of 8");
    }
    if (part.offset % WORD != 0 || part.run % WORD != 0)
        syntax("offsets and runs must be multiples of 8");
    simplify(&part);
    return part;
}

static Case read_case(const char *line)
{
    char op[16], method[16];
    Case c = {0};
    if (sscanf(line, "case %15s %15s %d %lf %lf", op, method, &c.laps, &c.budget, &c.limit) != 5)
        syntax(line);
    c.write = strcmp(op, "write") == 0;
    c.collective = strcmp(method, "collective") == 0;
    if ((!c.write && strcmp(op, "read") != 0) || (!c.collective && strcmp(method, "independent") != 0))
        syntax(line);
    c.budget /= 1000;
    c.limit /= 1000;
    return c;
}

/* ---- timing ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A rank that hangs in a call cannot be asked to come back: the whole program ends. */
static void on_alarm(int number)
{
    (void)number;
    ssize_t written = write(STDOUT_FILENO, cut_line, strlen(cut_line));
    _exit(written < 0 ? EXIT_FAILED : EXIT_CUT);
}

/* On rank 0: from now on at most so many seconds; 0 takes that back. */
static void alarm_after(double seconds)
{
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (me == 0 && setitimer(ITIMER_REAL, &timer, NULL) != 0)
        fail("setitimer: %s", strerror(errno));
}

/* Makes the next reads come from the disk. */
static void forget_pages(void)
{
    if (me == 0) {
        int fd = open(data_path, O_RDWR);
        if (fd < 0 || fsync(fd) != 0)
            fail("%s: %s", data_path, strerror(errno));
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
        int drop = open("/proc/sys/vm/drop_caches", O_WRONLY); /* by root only */
        if (drop >= 0) {
            if (write(drop, "1\n", 2) != 2)
                fail("drop_caches: %s", strerror(errno));
            close(drop);
        }
    }
}

/* ---- running ---- */

/* The part as a type: the words of a run, and a strided vector for each loop. */
static MPI_Datatype file_type(const Part *part)
{
    MPI_Datatype type;
    int run_words = part_bytes(part) == 0 ? 1 : (int)(part->run / WORD);
    MPI_Type_contiguous(run_words, MPI_INT64_T, &type);
    for (int i = 0; i < part->loops && part_bytes(part) > 0; i++) {
        MPI_Datatype inner = type;
        MPI_Type_create_hvector((int)part->loop[i].count, 1, (MPI_Aint)part->loop[i].stride, inner,
                                &type);
        MPI_Type_free(&inner);
    }
    MPI_Type_commit(&type);
    return type;
}

static int call(MPI_File file, const Case *c, uint64_t *memory, int words, MPI_Status *status)
{
    if (c->write)
        return c->collective ? MPI_File_write_at_all(file, 0, memory, words, MPI_INT64_T, status)
                             : MPI_File_write_at(file, 0, memory, words, MPI_INT64_T, status);
    return c->collective ? MPI_File_read_at_all(file, 0, memory, words, MPI_INT64_T, status)
                         : MPI_File_read_at(file, 0, memory, words, MPI_INT64_T, status);
}

/* One lap; returns its seconds, the same on all ranks. */
static double run_lap(MPI_File file, const Case *c, uint64_t *memory, int words, int repeats)
{
    MPI_Status status;
    int result = MPI_SUCCESS, moved;

    if (cold)
        forget_pages();
    MPI_Barrier(MPI_COMM_WORLD);
    alarm_after(c->limit);
    double start = now();
    for (int i = 0; i < repeats && result == MPI_SUCCESS; i++)
        result = call(file, c, memory, words, &status);
    double end = now();
    check_mpi(result, c->write ? "writing" : "reading");
    MPI_Barrier(MPI_COMM_WORLD);
    alarm_after(0);
    MPI_Get_count(&status, MPI_INT64_T, &moved);
    if (moved != words && words > 0) /* Open MPI's ROMIO leaves the status of nothing unset */
        fail("%d words moved instead of %d", moved, words);
    double mine[2] = {-start, end}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[0] + all[1];
}

/* How many calls make a lap, when one took so long: the same on all ranks. */
static int repeats_for(double seconds)
{
    int repeats = (int)(REPEAT_SECONDS / (seconds > 1e-6 ? seconds : 1e-6));
    return cold || repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
}

/* Whether any rank found something wrong; rank 0 reports the first place. */
static int report_wrong(const char *what, Wrong mine)
{
    int64_t first;
    MPI_Allreduce(&mine.place, &first, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (first == NOWHERE)
        return 0;
    int finder = mine.place == first ? me : ranks, lowest;
    MPI_Allreduce(&finder, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    uint64_t words[2] = {0, 0}, all[2];
    if (me == lowest) {
        words[0] = mine.found;
        words[1] = mine.expected;
    }
    /* Not the maximum: MPICH 4.0 takes these for signed numbers. */
    MPI_Reduce(words, all, 2, MPI_UINT64_T, MPI_BOR, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("mpiio wrong %s %" PRId64 " %" PRIu64 " %" PRIu64 "\n", what, first, all[0], all[1]);
    return 1;
}

/* After a lap, when all ranks have ended. */
static int check_lap(const Workload *workload, const Case *c, const uint64_t *memory, int flipped,
                     const char *what)
{
    const Part *part = &workload->parts[me];
    Wrong wrong = {.place = NOWHERE};
    if (c->write) {
        uint64_t *file = map_data(workload);
        check_file(part, file, flipped, &wrong);
        munmap(file, (size_t)workload->file_bytes);
    } else {
        check_memory(part, memory, &wrong);
    }
    return report_wrong(what, wrong);
}

/* After the last lap of writes: looks between the parts and leaves the file as it was. */
static int finish_writes(Workload *workload, int flipped, const char *what)
{
    Wrong wrong = {.place = NOWHERE};
    uint64_t *file = map_data(workload);
    if (me == 0)
        check_between(workload, file, &wrong);
    if (flipped)
        for (Walk w = walk(&workload->parts[me]); w.more; next_run(&w))
            for (int64_t i = 0; i < workload->parts[me].run; i += WORD)
                file[(w.at + i) / WORD] = word_at(w.at + i, 0);
    munmap(file, (size_t)workload->file_bytes);
    return report_wrong(what, wrong);
}

/* All laps of a case; returns whether something was wrong. */
static int run_case(Workload *workload, const Case *c)
{
    const Part *part = &workload->parts[me];
    int64_t bytes = part_bytes(part);
    uint64_t *memory = allocate((size_t)bytes);
    MPI_Datatype type = file_type(part);
    MPI_File file;
    char what[64];
    double spent = 0; /* of all laps */
    int wrong = 0, flipped = 0, going = 1, repeats = 1;

    if (bytes / WORD > INT32_MAX)
        fail("%" PRId64 " bytes are too many for one call", bytes);
    snprintf(what, sizeof what, "%d %s %s", workload->number, c->write ? "write" : "read",
             c->collective ? "collective" : "independent");
    snprintf(cut_line, sizeof cut_line, "mpiio cut %s %.0f\n", what, c->limit * 1e9);
    if (me == 0)
        printf("mpiio begin %s\n", what);
    alarm_after(c->limit);
    check_mpi(MPI_File_open(MPI_COMM_WORLD, data_path, MPI_MODE_RDWR, hints, &file), "opening");
    check_mpi(MPI_File_set_view(file, part->offset, MPI_INT64_T, type, "native", hints), "set_view");
    alarm_after(0);
    for (int lap = cold ? 1 : 0; going && !wrong; lap++) {
        if (c->write)
            fill(part, memory, flipped = !flipped);
        else
            memset(memory, 0xA5, (size_t)bytes);
        double seconds = run_lap(file, c, memory, (int)(bytes / WORD), repeats);
        wrong = check_lap(workload, c, memory, flipped, what);
        spent += seconds;
        going = (lap < c->laps || lap == 1) && spent < c->budget; /* the same on all ranks */
        double once = seconds / repeats;
        if (lap == 1 && going) /* the first lap came after other calls, and says little */
            repeats = repeats_for(seconds);
        if (me == 0 && (!going || lap > 1 || (lap == 1 && repeats == 1)))
            printf("mpiio sample %s %.0f\n", what, once * 1e9);
    }
    if (c->write && !wrong)
        wrong = finish_writes(workload, flipped, what);
    MPI_File_close(&file);
    MPI_Type_free(&type);
    free(memory);
    return wrong;
}

/* Carries out the workload file, line by line; returns whether something was wrong. */
static int run_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char line[1024];
    Workload workload = {0};
    int version = 0, planned = 0, read = 0, ended = 0, wrong = 0;

    if (in == NULL)
        fail("%s: %s", path, strerror(errno));
    if (fgets(line, sizeof line, in) == NULL || sscanf(line, "millrace-workloads %d", &version) != 1 ||
        version != 1)
        syntax("it must begin with millrace-workloads 1");
    if (fgets(line, sizeof line, in) == NULL || sscanf(line, "ranks %d", &planned) != 1 ||
        planned != ranks)
        syntax("it is for another number of ranks");
    workload.parts = calloc((size_t)ranks, sizeof *workload.parts);
    while (!ended && !wrong && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, "workload ", 9) == 0) {
            if (sscanf(line, "workload %d %" SCNd64, &workload.number, &workload.file_bytes) != 2)
                syntax(line);
            free(workload.covered);
            workload.covered = NULL;
            read = 0;
        } else if (strncmp(line, "part ", 5) == 0 && read < ranks) {
            workload.parts[read++] = read_part(line);
        } else if (strncmp(line, "case ", 5) == 0 && read == ranks) {
            Case c = read_case(line);
            wrong = run_case(&workload, &c);
        } else if (strcmp(line, "end\n") == 0) {
            ended = 1;
        } else {
            syntax(line);
        }
    }
    if (!ended && !wrong)
        syntax("it ends too early");
    fclose(in);
    free(workload.parts);
    free(workload.covered);
    return wrong;
}

int main(int argc, char **argv)
{
    const char *workloads = NULL;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGALRM, on_alarm);
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (value == NULL)
            fail("not KEY=VALUE: %s", argv[i]);
        *value++ = 0;
        if (strcmp(argv[i], "workloads") == 0) {
            workloads = value;
        } else if (strcmp(argv[i], "data") == 0) {
            data_path = value;
        } else if (strcmp(argv[i], "cold") == 0) {
            cold = atoi(value);
        } else if (strcmp(argv[i], "hint") == 0 && strchr(value, '=') != NULL) {
            char *setting = strchr(value, '=');
            *setting++ = 0;
            if (hints == MPI_INFO_NULL)
                MPI_Info_create(&hints);
            MPI_Info_set(hints, value, setting);
        } else {
            fail("unknown option: %s", argv[i]);
        }
    }
    if (workloads == NULL || data_path == NULL)
        fail("workloads= and data= are needed");
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = 0;
    if (me == 0)
        printf("mpiio library %s\n", library);
    int wrong = run_file(workloads);
    if (me == 0 && !wrong)
        printf("mpiio done\n");
    MPI_Finalize();
    return wrong ? EXIT_WRONG : 0;
}
