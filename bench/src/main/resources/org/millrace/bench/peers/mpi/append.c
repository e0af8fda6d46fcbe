/*
 * append.c - records that all ranks append to one file by MPI's shared file pointer.
 *
 *   mpirun -n RANKS append data=FILE records=N bytes=B laps=L [hint=KEY=VALUE]...
 *
 * In each lap every rank calls MPI_File_write_shared N times with B bytes, from the begin of the file on. A lap
 * lasts from the first rank's start after a barrier to the last one's end. The first lap warms up and is not
 * printed. After each lap rank 0 reads the file: every record of every rank must be there once, whole.
 *
 * Rank 0 prints lines that begin with "append" (launchers print others):
 *
 *   append lap NANOSECONDS
 *   append failed TEXT                          by whichever rank
 *   append done
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 8 };

static int ranks, me;
static MPI_Info hints = MPI_INFO_NULL;

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
    printf("append failed rank %d: %s\n", me, text);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first word of a record says which it is, the others whose and of which lap. */
static uint64_t body(int64_t rank, int lap)
{
    return (uint64_t)rank * 0x9E3779B97F4A7C15u + (uint64_t)lap;
}

static void fill(uint64_t *record, int bytes, int lap)
{
    for (int i = 1; i < bytes / WORD; i++)
        record[i] = body(me, lap);
}

static void check(const char *path, int64_t records, int bytes, int lap)
{
    int64_t all = records * ranks;
    uint64_t *record = malloc((size_t)bytes);
    char *seen = calloc((size_t)all, 1);
    FILE *in = fopen(path, "rb");

    if (in == NULL || record == NULL || seen == NULL)
        fail("%s cannot be read", path);
    for (int64_t i = 0; i < all; i++) {
        if (fread(record, (size_t)bytes, 1, in) != 1)
            fail("record %" PRId64 " is not there", i);
        if (record[0] >= (uint64_t)all || seen[record[0]]++)
            fail("record %" PRId64 " is none, or there twice", i);
        for (int w = 1; w < bytes / WORD; w++)
            if (record[w] != body((int64_t)record[0] / records, lap))
                fail("record %" PRId64 " is not whole", i);
    }
    fclose(in);
    free(record);
    free(seen);
}

static double run_lap(MPI_File file, uint64_t *record, int64_t records, int bytes, int lap)
{
    MPI_Status status;

    fill(record, bytes, lap);
    check_mpi(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "seeking");
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    for (int64_t i = 0; i < records; i++) {
        record[0] = (uint64_t)(me * records + i);
        check_mpi(MPI_File_write_shared(file, record, bytes, MPI_BYTE, &status), "writing");
    }
    double mine[2] = {-start, now()}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[0] + all[1];
}

int main(int argc, char **argv)
{
    const char *data = NULL;
    int64_t records = 0;
    int bytes = 0, laps = 0;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (value == NULL)
            fail("not KEY=VALUE: %s", argv[i]);
        *value++ = 0;
        if (strcmp(argv[i], "data") == 0) {
            data = value;
        } else if (strcmp(argv[i], "records") == 0) {
            records = atoll(value);
        } else if (strcmp(argv[i], "bytes") == 0) {
            bytes = atoi(value);
        } else if (strcmp(argv[i], "laps") == 0) {
            laps = atoi(value);
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
    if (data == NULL || records < 1 || bytes < WORD || bytes % WORD != 0 || laps < 1)
        fail("data=, records=, bytes= (a multiple of 8) and laps= are needed");
    uint64_t *record = malloc((size_t)bytes);
    check_mpi(MPI_File_open(MPI_COMM_WORLD, data, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file), "opening");
    for (int lap = 0; lap <= laps; lap++) {
        double seconds = run_lap(file, record, records, bytes, lap);
        if (me == 0) {
            check(data, records, bytes, lap);
            if (lap > 0)
                printf("append lap %.0f\n", seconds * 1e9);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    free(record);
    if (me == 0)
        printf("append done\n");
    MPI_Finalize();
    return 0;
}
