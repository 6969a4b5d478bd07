"""Shuts the file system that is mounted at DIRECTORY down without flushing: what is not on its disk yet is gone.

Use: python3 - DIRECTORY, with this text as the standard input. Exits with 0 only if nothing can be written any more.
"""
import errno
import fcntl
import os
import struct
import sys

FS_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32) of linux/fs.h; ext4 and xfs have it
NO_LOG_FLUSH = 2  # neither data nor the open transaction of the journal

directory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
fcntl.ioctl(directory, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
try:
    os.close(os.open(".probe", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=directory))
except OSError as e:
    sys.exit(0 if e.errno == errno.EIO else str(e))
sys.exit("still writable")
