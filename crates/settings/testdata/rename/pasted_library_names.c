#include <errno.h>

/* Pieces that `##` joins, eight of which are names of the library where another line says so. */
#define NEGATED(x) (-(x))
#define fault__E2BIG NEGATED(E2BIG)
#define fault__EACCES NEGATED(EACCES)
#define fault__EAGAIN NEGATED(EAGAIN)
#define fault__EBADF NEGATED(EBADF)
#define fault__EBUSY NEGATED(EBUSY)
#define fault__EINTR NEGATED(EINTR)
#define fault__EINVAL NEGATED(EINVAL)
#define fault__EIO NEGATED(EIO)
#define fault__ECLOSED (-3000)

#define ALL_FAULTS(X)                                                        \
    X(E2BIG, "too long") X(EACCES, "denied") X(EAGAIN, "again")              \
    X(EBADF, "bad file") X(EBUSY, "busy") X(EINTR, "interrupted")            \
    X(EINVAL, "invalid") X(EIO, "input or output") X(ECLOSED, "closed")

enum fault {
#define X(code, _) fault_##code = fault__##code,
    ALL_FAULTS(X)
#undef X
    fault_none = 0
};

int fault_of(int length, int limit)
{
    if (length < 0)
        return fault_EINVAL;
    if (limit == 0)
        return fault_ECLOSED;
    return length > limit ? fault_E2BIG : fault_none;
}
