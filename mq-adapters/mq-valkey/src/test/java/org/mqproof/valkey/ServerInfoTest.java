package org.mqproof.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerInfoTest {

  private static final String PRIMARY =
      """
      # Replication
      role:master
      connected_slaves:2
      slave0:ip=127.0.0.1,port=6380,state=online

      # Memory
      maxmemory:%s
      maxmemory_policy:%s

      # Persistence
      aof_enabled:%s
      """;

  private static Map<String, String> primary(String maxmemory, String policy, int aof) {
    return ServerInfo.of(PRIMARY.formatted(maxmemory, policy, aof).replace("\n", "\r\n"));
  }

  @Test
  void aPrimaryTellsHowManyFollowIt() {
    Map<String, String> info = primary("0", "noeviction", 1);

    assertThat(ServerInfo.isPrimary(info)).isTrue();
    assertThat(ServerInfo.replicas(info)).isEqualTo(2);
    assertThat(info).containsEntry("slave0", "ip=127.0.0.1,port=6380,state=online");
  }

  @Test
  void aReplicaIsNoPrimary() {
    assertThat(ServerInfo.isPrimary(ServerInfo.of("role:slave\r\n"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0, allkeys-lru", "0, noeviction", "1048576, noeviction"})
  void whatEvictsNothingIsTaken(String maxmemory, String policy) {
    assertThat(ServerInfo.broken(primary(maxmemory, policy, 1))).isEmpty();
  }

  @Test
  void whatEvictsMessagesIsNamedWithItsValueAndWhatToSet() {
    assertThat(ServerInfo.broken(primary("1048576", "volatile-ttl", 1)))
        .containsExactly(
            "maxmemory-policy is volatile-ttl, must be noeviction where maxmemory is set");
  }

  @Test
  void whereTheDiskIsAwaitedTheServerMustAwaitIt() {
    assertThat(ServerInfo.brokenOnDisk(primary("0", "noeviction", 1), "always")).isEmpty();
    assertThat(ServerInfo.brokenOnDisk(primary("1", "allkeys-lru", 0), "everysec"))
        .containsExactly(
            "maxmemory-policy is allkeys-lru, must be noeviction where maxmemory is set",
            "appendonly is no, must be yes for confirm=waitaof",
            "appendfsync is everysec, must be always for confirm=waitaof");
  }
}
