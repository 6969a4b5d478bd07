#!/bin/sh
# What was copied in belongs to root; the node is rabbitmq's.
set -eu
find /var/lib/rabbitmq ! -user rabbitmq -exec chown rabbitmq: {} +
export HOME=/var/lib/rabbitmq PATH=/usr/lib/rabbitmq/bin:$PATH
exec setpriv --reuid=rabbitmq --regid=rabbitmq --init-groups "$@"
