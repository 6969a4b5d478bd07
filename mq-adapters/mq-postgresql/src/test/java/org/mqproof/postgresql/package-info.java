/** Tests of the PostgreSQL adapter; the kit and the crash tests run it on a real cluster. */
@NullMarked
package org.mqproof.postgresql;

import org.jspecify.annotations.NullMarked;
