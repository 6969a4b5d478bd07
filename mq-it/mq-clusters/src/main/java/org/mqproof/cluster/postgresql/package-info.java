/** PostgreSQL nodes with synchronous replicas. */
@NullMarked
package org.mqproof.cluster.postgresql;

import org.jspecify.annotations.NullMarked;
