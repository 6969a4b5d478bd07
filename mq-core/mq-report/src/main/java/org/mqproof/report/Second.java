package org.mqproof.report;

import org.jspecify.annotations.Nullable;

/**
 * One second of a run. Immutable.
 *
 * @param fork the fork it belongs to, from 1
 * @param second seconds since the fork's first message, from 0
 * @param measured false during warm-up and drain
 * @param sent messages confirmed in this second
 * @param received messages received in this second
 * @param sendP99Nanos 99th percentile of the send latency in this second, nanoseconds; null if
 *     nothing was sent
 * @param processingP99Nanos 99th percentile of the processing latency in this second, nanoseconds;
 *     null if nothing was received
 * @param backlog messages confirmed and not yet received, at the end of this second; null if not
 *     known
 */
public record Second(
    int fork,
    int second,
    boolean measured,
    long sent,
    long received,
    @Nullable Long sendP99Nanos,
    @Nullable Long processingP99Nanos,
    @Nullable Long backlog) {}
