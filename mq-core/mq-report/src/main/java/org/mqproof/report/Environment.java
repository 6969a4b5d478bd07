package org.mqproof.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a run took place. It is published with the numbers, so nothing in it may name the host, the
 * user or a directory of the machine. Plain data, see {@link Results}.
 *
 * @param startedAt start of the run as ISO-8601 in UTC, for example {@code "2026-11-21T09:30:00Z"}
 * @param setup one sentence on what ran where, for example {@code "3 broker nodes and the clients
 *     on one machine, loopback"}; a cluster on one machine must say so
 * @param cpuModel the CPU's name as the kernel gives it
 * @param cores logical cores the measuring JVM could use, at least 1
 * @param memoryBytes memory of the machine, bytes
 * @param disks one per block device, with its size, and the kind of file system that brokers
 *     started here write to; null if not known
 * @param kernel the operating system and its version, for example {@code "Linux 6.1.0"}
 * @param jdk vendor and version of the measuring JVM
 * @param jvmFlags flags of the measuring JVM, without paths
 * @param brokers the configuration of the first node of each cluster that was started for the run,
 *     by system and by name of the file; null if not known
 * @param version version of this library
 * @param commit commit it was built from, or {@code "unknown"}
 */
public record Environment(
    String startedAt,
    String setup,
    String cpuModel,
    int cores,
    long memoryBytes,
    @Nullable List<String> disks,
    String kernel,
    String jdk,
    List<String> jvmFlags,
    @Nullable Map<String, Map<String, String>> brokers,
    String version,
    String commit) {}
