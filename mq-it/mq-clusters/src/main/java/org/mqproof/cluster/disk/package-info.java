/** A disk for each node that is a child process, and the cut of its power. Needs Linux and root. */
@NullMarked
package org.mqproof.cluster.disk;

import org.jspecify.annotations.NullMarked;
