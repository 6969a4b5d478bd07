/** A network for each node that is a child process, and the faults in it. Needs Linux and root. */
@NullMarked
package org.mqproof.cluster.network;

import org.jspecify.annotations.NullMarked;
