#!/bin/sh
# Makes the instance at the first start, with what is in etc-override, then becomes the node.
set -eu
if [ ! -e bin/artemis ]; then
  # Several options in one variable: not quoted.
  /opt/activemq-artemis/bin/artemis create --user "${ARTEMIS_USER:-artemis}" --password "${ARTEMIS_PASSWORD:-artemis}" \
    --require-login ${EXTRA_ARGS:-} .
  [ ! -d etc-override ] || cp etc-override/* etc/
fi
exec bin/artemis "$@"
