// Macros and types of the projects that CLARC's rows are from, as their repositories define them and as far as some
// row needs them: the released rows have the function only. Attributes of functions (`CGLM_INLINE`) are not here, for
// the compiler says which words it does not know.
#define TEST_SKIPPED 3
#define TEST_SUCCESS 1
#define TEST_FAIL 0
#define XMEMSET(p,v,l) memset((p),(v),(l))
#define XSTRNCAT(s1,s2,n) strncat((s1),(s2),(n))
#define XSTRLEN(s1) strlen((s1))
#define XSTRCMP(s1,s2) strcmp((s1),(s2))
#define BENCH_MAX_LINE 80
#define WOLFSSL_MSG(m) do {} while (0)
#define LIBWOLFSSL_VERSION_STRING "5.6.4"
#define CATCH_CONFIG_CONSOLE_WIDTH 80
#define CATCH_INTERNAL_HAS_ISATTY
#define CONFIG_TYPE_NONE 0
#define CONFIG_TYPE_GROUP 1
#define CONFIG_TYPE_INT 2
#define CONFIG_TYPE_INT64 3
#define CONFIG_TYPE_FLOAT 4
#define CONFIG_TYPE_STRING 5
#define CONFIG_TYPE_BOOL 6
#define CONFIG_TRUE (1)
#define CONFIG_FALSE (0)
#define HAVE_USELOCALE
#define HAVE_FREELOCALE
#define __delete(P) free((void *)(P))
#define STRINGIZEx(x) #x
#define STRINGIZE(x) STRINGIZEx(x)
#define GTEST_FLAG_PREFIX_ "gtest_"
#define GTEST_FLAG_PREFIX_DASH_ "gtest-"
#define GTEST_FLAG_PREFIX_UPPER_ "GTEST_"
#define ptr2char(x) (*(*(x) + depth))
#define BUFFER_SIZE 65536
typedef double fft_type;
#ifndef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#endif
#define SRC_MAX_RATIO 256
#define ARRAY_LEN(x) ((int)(sizeof(x) / sizeof((x)[0])))
#define MUNIT_LIKELY(expr) (__builtin_expect((expr), 1))
#define MUNIT_UNLIKELY(expr) (__builtin_expect((expr), 0))
#define ONIG_INT_MAX 2147483647
#define ONIGERR_INVALID_GROUP_NAME -215
#define ONIGERR_UNDEFINED_NAME_REFERENCE -217
#define ONIGERR_UNDEFINED_GROUP_REFERENCE -218
#define ONIGERR_MULTIPLEX_DEFINED_NAME -219
#define ONIGERR_MULTIPLEX_DEFINITION_NAME_CALL -220
#define ONIGERR_INVALID_CHAR_IN_GROUP_NAME -216
#define ONIGERR_INVALID_CHAR_PROPERTY_NAME -223
#define ANCR_PREC_READ (1<<0)
#define ANCR_PREC_READ_NOT (1<<1)
#define ANCR_END_BUF (1<<7)
#define ANCR_SEMI_END_BUF (1<<8)
#define ANCR_END_LINE (1<<9)
#define FT_MEMORY_ERROR -1
#define FT_GEN_ERROR -4
#define FT_EINVAL -2
#define FT_INTERN_ERROR -3
#define WCS_SIZE 64
#define DOUBLE_CONVERSION_ASSERT(condition) assert(condition)
#define FMT_BUILTIN_CLZLL(n) __builtin_clzll(n)
#define PACKAGE "libsamplerate"
#define VERSION "0.2.2"
#define UTF8PROC_VERSION_MAJOR 2
#define UTF8PROC_VERSION_MINOR 9
#define UTF8PROC_VERSION_PATCH 0
#define FMT_BUILTIN_CLZ(n) __builtin_clz(n)
#define FMT_POWERS_OF_10(factor) factor * 10, (factor) * 100, (factor) * 1000, (factor) * 10000, (factor) * 100000, (factor) * 1000000, (factor) * 10000000, (factor) * 100000000, (factor) * 1000000000
#define GLM_PIf ((float)3.14159265358979323846264338327950288)
#define GLM_PI_2f ((float)1.57079632679489661923132169163975144)
#define INIT_CYCLE_COUNTER
#define XEXIT_T(rc) exit((rc))
#define FMT_USE_INT128 1
#define WOLFSSL_TLS13
typedef int SOCKET_T;
