"""Holds each packet of netfilter's queue 0 for so many microseconds; they go on in their order.

What the kernel's netem does, for kernels without it. Uses nothing but the standard library, and
fetches no byte of a packet, only its number. If the kernel had to lose a packet because this
program was too slow, the program ends: then nothing gets through, instead of something unforeseen.
"""

import collections
import os
import select
import socket
import struct
import sys
import time

NETLINK_NETFILTER = 12
SO_RCVBUFFORCE = 33
REQUEST, ANSWER = 1, 4  # flags
ERROR, CONFIG, VERDICT_BATCH = 0x2, 0x302, 0x303  # kinds of messages
BIND, NO_BYTES, UNDIVIDED, ACCEPT = 1, 1, 4, 1
NUMBER_AT = 24  # of a packet: the first attribute, after the headers
MOST_HELD = 1_000_000


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def send(queue, kind, attributes, flags):
    header = struct.pack("=IHHII", 20 + len(attributes), kind, REQUEST | flags, 0, 0)
    queue.send(header + bytes(4) + attributes)


def receive(queue):
    message = queue.recv(8192)
    kind, error = struct.unpack_from("=H", message, 4)[0], struct.unpack_from("=i", message, 16)[0]
    if kind == ERROR and error != 0:
        raise OSError(-error, os.strerror(-error))
    return message


def open_queue():
    queue = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
    queue.bind((0, 0))
    queue.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    for attributes in (
        attribute(1, struct.pack("!BxH", BIND, 0)),
        attribute(2, struct.pack("!IB", 0, NO_BYTES)),
        attribute(3, struct.pack("!I", MOST_HELD)),
        # What TCP left for the network card to divide into packets stays one.
        attribute(5, struct.pack("!I", UNDIVIDED)) + attribute(4, struct.pack("!I", UNDIVIDED)),
    ):
        send(queue, CONFIG, attributes, ANSWER)
        receive(queue)
    queue.setblocking(False)
    return queue


def hold(queue, seconds):
    held = collections.deque()  # (when it may go on, its number)
    while True:
        left = max(0, held[0][0] - time.monotonic()) if held else None
        if select.select([queue], [], [], left)[0]:
            try:
                while True:
                    number = struct.unpack_from("!I", receive(queue), NUMBER_AT)[0]
                    held.append((time.monotonic() + seconds, number))
            except BlockingIOError:
                pass  # that were all
        now, last = time.monotonic(), None
        while held and held[0][0] <= now:
            last = held.popleft()[1]
        if last is not None:
            # This one and all that came before it.
            send(queue, VERDICT_BATCH, attribute(2, struct.pack("!II", ACCEPT, last)), 0)


with open("/proc/self/timerslack_ns", "w", encoding="ascii") as slack:
    slack.write("1")  # else the kernel may let it sleep 50 us too long
# Before whatever else is busy on this machine, or packets would take as long as that likes.
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
opened = open_queue()
print("holds packets", flush=True)
hold(opened, int(sys.argv[1]) / 1e6)
