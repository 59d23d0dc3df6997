"""What the interpreter is made of: its version, and the files that it reads."""

import json
import os
import sys
import sysconfig

for name in sys.argv[1:] + ["hashlib", "zlib", "lzma", "bz2", "uuid", "unittest", "ast", "resource", "ctypes"]:
    try:
        __import__(name)
    except ImportError:
        if name in sys.argv[1:]:
            raise
executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
paths = sysconfig.get_paths()
files = {executable, paths["stdlib"], paths["platstdlib"], "/etc/ld.so.cache", "/usr/share/zoneinfo"}
files.update(path for path in sys.path if path.endswith(".zip"))
with open("/proc/self/maps") as maps:
    for line in maps:
        parts = line.split(None, 5)
        if len(parts) == 6 and ".so" in parts[5]:
            files.add(parts[5].strip())
print(json.dumps({
    "executable": executable,
    "version": sys.version.split()[0],
    "build": f"{sys.implementation.name} {sys.version} {os.uname().machine}",
    "number": list(sys.version_info[:2]),
    "files": sorted(file for file in files if os.path.exists(file)),
}))
