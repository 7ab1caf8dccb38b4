"""Names that are macros in the headers of C, C++ and CUDA: the preprocessor would replace a variable of such a name.

`tools/macros.py` collects the list from the headers that programs and emitted code include. Names that C reserves for compilers
are recognised by their form. A test asks the installed compilers for macros that the list lacks.
"""

from __future__ import annotations

import re

_NAMES = """\
ADJ_ESTERROR ADJ_FREQUENCY ADJ_MAXERROR ADJ_MICRO ADJ_NANO ADJ_OFFSET ADJ_OFFSET_SINGLESHOT ADJ_OFFSET_SS_READ ADJ_SETOFFSET
ADJ_STATUS ADJ_TAI ADJ_TICK ADJ_TIMECONST AIO_PRIO_DELTA_MAX ATOMIC_BOOL_LOCK_FREE ATOMIC_CHAR16_T_LOCK_FREE
ATOMIC_CHAR32_T_LOCK_FREE ATOMIC_CHAR_LOCK_FREE ATOMIC_FLAG_INIT ATOMIC_INT_LOCK_FREE ATOMIC_LLONG_LOCK_FREE ATOMIC_LONG_LOCK_FREE
ATOMIC_POINTER_LOCK_FREE ATOMIC_SHORT_LOCK_FREE ATOMIC_VAR_INIT ATOMIC_WCHAR_T_LOCK_FREE BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX
BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH BUFSIZ BYTE_ORDER CALLOC1 CALLOC2 CALLOC3 CALLOC4 CALLOC5 CALLOC6 CALLOC7 CALLOC8
CHARCLASS_NAME_MAX
CHAR_BIT CHAR_MAX CHAR_MIN CHAR_WIDTH CLOCKS_PER_SEC CLOCK_BOOTTIME CLOCK_BOOTTIME_ALARM CLOCK_MONOTONIC CLOCK_MONOTONIC_COARSE
CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_REALTIME_ALARM CLOCK_REALTIME_COARSE CLOCK_TAI
CLOCK_THREAD_CPUTIME_ID COLL_WEIGHTS_MAX CUDARTAPI CUDARTAPI_CDECL CUDART_CB CUDART_DEVICE CUDART_VERSION
CUDA_DOUBLE_MATH_FUNCTIONS CUDA_IPC_HANDLE_SIZE CU_UUID_HAS_BEEN_DEFINED DELAYTIMER_MAX EOF EXIT_FAILURE EXIT_SUCCESS
EXPR_NEST_MAX FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO FILENAME_MAX FOPEN_MAX FP_FAST_FMA FP_FAST_FMAF FP_ILOGB0 FP_ILOGBNAN
FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN
FP_NORMAL FP_SUBNORMAL FP_ZERO HOST_NAME_MAX HUGE_VAL HUGE_VALF HUGE_VALL HUGE_VAL_F128 HUGE_VAL_F32 HUGE_VAL_F32X HUGE_VAL_F64
HUGE_VAL_F64X INFINITY INT16_C INT16_MAX INT16_MIN INT16_WIDTH INT32_C INT32_MAX INT32_MIN INT32_WIDTH INT64_C INT64_MAX INT64_MIN
INT64_WIDTH INT8_C INT8_MAX INT8_MIN INT8_WIDTH INTMAX_C INTMAX_MAX INTMAX_MIN INTMAX_WIDTH INTPTR_MAX INTPTR_MIN INTPTR_WIDTH
INT_FAST16_MAX INT_FAST16_MIN INT_FAST16_WIDTH INT_FAST32_MAX INT_FAST32_MIN INT_FAST32_WIDTH INT_FAST64_MAX INT_FAST64_MIN
INT_FAST64_WIDTH INT_FAST8_MAX INT_FAST8_MIN INT_FAST8_WIDTH INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST16_WIDTH INT_LEAST32_MAX
INT_LEAST32_MIN INT_LEAST32_WIDTH INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST64_WIDTH INT_LEAST8_MAX INT_LEAST8_MIN INT_LEAST8_WIDTH
INT_MAX INT_MIN INT_WIDTH IOV_MAX LINE_MAX LITTLE_ENDIAN LLONG_MAX LLONG_MIN LLONG_WIDTH LOGIN_NAME_MAX LONG_BIT LONG_LONG_MAX
LONG_LONG_MIN LONG_MAX LONG_MIN LONG_WIDTH L_ctermid L_cuserid L_tmpnam MALLOC1 MALLOC2 MALLOC3 MALLOC4 MALLOC5 MALLOC6
MALLOC7 MALLOC8
MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAX_CANON MAX_INPUT MB_CUR_MAX MB_LEN_MAX MOD_CLKA MOD_CLKB MOD_ESTERROR MOD_FREQUENCY
MOD_MAXERROR MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST MQ_PRIO_MAX M_1_PI M_1_PIf M_1_PIf128 M_1_PIf32
M_1_PIf32x M_1_PIf64 M_1_PIf64x M_1_PIl M_2_PI M_2_PIf M_2_PIf128 M_2_PIf32 M_2_PIf32x M_2_PIf64 M_2_PIf64x M_2_PIl M_2_SQRTPI
M_2_SQRTPIf M_2_SQRTPIf128 M_2_SQRTPIf32 M_2_SQRTPIf32x M_2_SQRTPIf64 M_2_SQRTPIf64x M_2_SQRTPIl M_E M_Ef M_Ef128 M_Ef32 M_Ef32x
M_Ef64 M_Ef64x M_El M_LN10 M_LN10f M_LN10f128 M_LN10f32 M_LN10f32x M_LN10f64 M_LN10f64x M_LN10l M_LN2 M_LN2f M_LN2f128 M_LN2f32
M_LN2f32x M_LN2f64 M_LN2f64x M_LN2l M_LOG10E M_LOG10Ef M_LOG10Ef128 M_LOG10Ef32 M_LOG10Ef32x M_LOG10Ef64 M_LOG10Ef64x M_LOG10El
M_LOG2E M_LOG2Ef M_LOG2Ef128 M_LOG2Ef32 M_LOG2Ef32x M_LOG2Ef64 M_LOG2Ef64x M_LOG2El M_PI M_PI_2 M_PI_2f M_PI_2f128 M_PI_2f32
M_PI_2f32x M_PI_2f64 M_PI_2f64x M_PI_2l M_PI_4 M_PI_4f M_PI_4f128 M_PI_4f32 M_PI_4f32x M_PI_4f64 M_PI_4f64x M_PI_4l M_PIf M_PIf128
M_PIf32 M_PIf32x M_PIf64 M_PIf64x M_PIl M_SQRT1_2 M_SQRT1_2f M_SQRT1_2f128 M_SQRT1_2f32 M_SQRT1_2f32x M_SQRT1_2f64 M_SQRT1_2f64x
M_SQRT1_2l M_SQRT2 M_SQRT2f M_SQRT2f128 M_SQRT2f32 M_SQRT2f32x M_SQRT2f64 M_SQRT2f64x M_SQRT2l NAME_MAX NAN NFDBITS NGROUPS_MAX
NL_ARGMAX NL_LANGMAX NL_MSGMAX NL_NMAX NL_SETMAX NL_TEXTMAX NULL NZERO PATH_MAX PDP_ENDIAN PIPE_BUF PTHREAD_DESTRUCTOR_ITERATIONS
PTHREAD_KEYS_MAX PTHREAD_STACK_MIN PTRDIFF_MAX PTRDIFF_MIN PTRDIFF_WIDTH P_tmpdir RAND_MAX RENAME_EXCHANGE RENAME_NOREPLACE
RENAME_WHITEOUT RE_DUP_MAX RTSIG_MAX SCHAR_MAX SCHAR_MIN SCHAR_WIDTH SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SEM_VALUE_MAX
SHRT_MAX SHRT_MIN SHRT_WIDTH SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SIZE_MAX SIZE_WIDTH SNAN SNANF SNANF128 SNANF32
SNANF32X SNANF64 SNANF64X SNANL SSIZE_MAX STA_CLK STA_CLOCKERR STA_DEL STA_FLL STA_FREQHOLD STA_INS STA_MODE STA_NANO STA_PLL
STA_PPSERROR STA_PPSFREQ STA_PPSJITTER STA_PPSSIGNAL STA_PPSTIME STA_PPSWANDER STA_RONLY STA_UNSYNC TIMER_ABSTIME TIME_UTC TMP_MAX
TTY_NAME_MAX UCHAR_MAX UCHAR_WIDTH UINT16_C UINT16_MAX UINT16_WIDTH UINT32_C UINT32_MAX UINT32_WIDTH UINT64_C UINT64_MAX
UINT64_WIDTH UINT8_C UINT8_MAX UINT8_WIDTH UINTMAX_C UINTMAX_MAX UINTMAX_WIDTH UINTPTR_MAX UINTPTR_WIDTH UINT_FAST16_MAX
UINT_FAST16_WIDTH UINT_FAST32_MAX UINT_FAST32_WIDTH UINT_FAST64_MAX UINT_FAST64_WIDTH UINT_FAST8_MAX UINT_FAST8_WIDTH
UINT_LEAST16_MAX UINT_LEAST16_WIDTH UINT_LEAST32_MAX UINT_LEAST32_WIDTH UINT_LEAST64_MAX UINT_LEAST64_WIDTH UINT_LEAST8_MAX
UINT_LEAST8_WIDTH UINT_MAX UINT_WIDTH ULLONG_MAX ULLONG_WIDTH ULONG_LONG_MAX ULONG_MAX ULONG_WIDTH USHRT_MAX USHRT_WIDTH WCHAR_MAX
WCHAR_MIN WCHAR_WIDTH WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WINT_MAX WINT_MIN WINT_WIDTH
WNOHANG WNOWAIT WORD_BIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED XATTR_LIST_MAX XATTR_NAME_MAX XATTR_SIZE_MAX _tolower _toupper
alloca assert assert_perror atomicAdd atomicAnd atomicMax atomicMin atomicOr atomicXor atomic_compare_exchange_strong
atomic_compare_exchange_strong_explicit atomic_compare_exchange_weak atomic_compare_exchange_weak_explicit atomic_exchange
atomic_exchange_explicit atomic_fetch_add atomic_fetch_add_explicit atomic_fetch_and atomic_fetch_and_explicit atomic_fetch_or
atomic_fetch_or_explicit atomic_fetch_sub atomic_fetch_sub_explicit atomic_fetch_xor atomic_fetch_xor_explicit atomic_flag_clear
atomic_flag_clear_explicit atomic_flag_test_and_set atomic_flag_test_and_set_explicit atomic_init atomic_is_lock_free atomic_load
atomic_load_explicit atomic_signal_fence atomic_store atomic_store_explicit atomic_thread_fence be16toh be32toh be64toh blockDim
blockIdx bool cudaArrayColorAttachment cudaArrayCubemap cudaArrayDefault cudaArrayDeferredMapping cudaArrayLayered cudaArraySparse
cudaArraySparsePropertiesSingleMipTail cudaArraySurfaceLoadStore cudaArrayTextureGather cudaCpuDeviceId cudaDeviceBlockingSync
cudaDeviceLmemResizeToMax cudaDeviceMapHost cudaDeviceMask cudaDeviceScheduleAuto cudaDeviceScheduleBlockingSync
cudaDeviceScheduleMask cudaDeviceScheduleSpin cudaDeviceScheduleYield cudaDeviceSyncMemops cudaEventBlockingSync cudaEventDefault
cudaEventDisableTiming cudaEventInterprocess cudaEventRecordDefault cudaEventRecordExternal cudaEventWaitDefault
cudaEventWaitExternal cudaExternalMemoryDedicated cudaExternalSemaphoreSignalSkipNvSciBufMemSync
cudaExternalSemaphoreWaitSkipNvSciBufMemSync cudaGraphKernelNodePortDefault cudaGraphKernelNodePortLaunchCompletion
cudaGraphKernelNodePortProgrammatic cudaHostAllocDefault cudaHostAllocMapped cudaHostAllocPortable cudaHostAllocWriteCombined
cudaHostRegisterDefault cudaHostRegisterIoMemory cudaHostRegisterMapped cudaHostRegisterPortable cudaHostRegisterReadOnly
cudaInitDeviceFlagsAreValid cudaInvalidDeviceId cudaIpcMemLazyEnablePeerAccess cudaKernelNodeAttrID cudaKernelNodeAttrValue
cudaKernelNodeAttributeAccessPolicyWindow cudaKernelNodeAttributeClusterDimension
cudaKernelNodeAttributeClusterSchedulingPolicyPreference cudaKernelNodeAttributeCooperative
cudaKernelNodeAttributeDeviceUpdatableKernelNode cudaKernelNodeAttributeMemSyncDomain cudaKernelNodeAttributeMemSyncDomainMap
cudaKernelNodeAttributeNvlinkUtilCentricScheduling cudaKernelNodeAttributePreferredSharedMemoryCarveout
cudaKernelNodeAttributePriority cudaMemAttachGlobal cudaMemAttachHost cudaMemAttachSingle cudaMemPoolCreateUsageHwDecompress
cudaNvSciSyncAttrSignal cudaNvSciSyncAttrWait cudaOccupancyDefault cudaOccupancyDisableCachingOverride cudaPeerAccessDefault
cudaStreamAttrID cudaStreamAttrValue cudaStreamAttributeAccessPolicyWindow cudaStreamAttributeMemSyncDomain
cudaStreamAttributeMemSyncDomainMap cudaStreamAttributePriority cudaStreamAttributeSynchronizationPolicy cudaStreamDefault
cudaStreamFireAndForget cudaStreamGraphFireAndForget cudaStreamGraphFireAndForgetAsSibling cudaStreamGraphTailLaunch
cudaStreamLegacy cudaStreamNonBlocking cudaStreamPerThread cudaStreamTailLaunch cudaSurfaceType1D cudaSurfaceType1DLayered
cudaSurfaceType2D cudaSurfaceType2DLayered cudaSurfaceType3D cudaSurfaceTypeCubemap cudaSurfaceTypeCubemapLayered
cudaTextureType1D cudaTextureType1DLayered cudaTextureType2D cudaTextureType2DLayered cudaTextureType3D cudaTextureTypeCubemap
cudaTextureTypeCubemapLayered false fpclassify gridDim htobe16 htobe32 htobe64 htole16 htole32 htole64 isalnum_l isalpha_l isascii
isascii_l isblank_l iscntrl_l isdigit_l isfinite isgraph_l isgreater isgreaterequal isinf isless islessequal islessgreater
islower_l isnan isnormal isprint_l ispunct_l isspace_l issubnormal isunordered isupper_l isxdigit_l kill_dependency le16toh
le32toh le64toh linux math_errhandling offsetof setjmp signbit sigsetjmp stderr stdin stdout strdupa strndupa threadIdx toascii
toascii_l true unix
"""
MACROS = frozenset(_NAMES.split())
USED_BY_CODE = frozenset(
    [
        "NULL",
        "setjmp",
        "longjmp",
        "jmp_buf",
        "size_t",
        "bool",
        "true",
        "false",
        "stdin",
        "stdout",
        "stderr",
        "assert",
        "errno",
    ]
)
ATTEMPT = "optigpu_try_"  # prefix of the version of an emitted C function that reports a failed allocation
_RESERVED = re.compile(r"__|_[A-Z]|OPTIGPU_|optigpu_")  # the last two are prefixes of emitted helpers


def is_reserved(name: str) -> bool:
    """Whether a name is reserved for compilers, their predefined macros, or the helpers of emitted code."""
    return _RESERVED.match(name) is not None


def is_used_by_code(name: str) -> bool:
    """Whether a macro of this name would change what emitted code says around a program, or what its headers do."""
    return name in USED_BY_CODE or is_reserved(name)


def is_macro(name: str) -> bool:
    """Whether the preprocessor may replace this name."""
    return name in MACROS or is_reserved(name)
