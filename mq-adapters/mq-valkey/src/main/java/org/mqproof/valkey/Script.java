package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/**
 * What is done with the pending entries of a stream in one step. A claim is an entry that is
 * pending for a consumer and was delivered so often; an entry that moved on has another consumer,
 * or another number. Immutable.
 */
enum Script {

  /**
   * Claims what has been pending for too long, then what was released, then what is new; a few at a
   * time, for nothing tells how large the next ones are. Arguments: consumer, most entries, most
   * bytes but for the last few, how many milliseconds are too long, and where to begin to look for
   * that, or nothing. Answer: where to go on with that, {@code 0-0} at the end; id, count and
   * fields of each.
   */
  TAKE(
      """
      local max, room, from, taken, found = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[5], 0, {}
      local function step() return math.min(8, max - taken) end
      local function full() return taken >= max or room <= 0 end
      local function keep(entry, count)
        local fields = entry[2]
        found[#found + 1] = entry[1]
        found[#found + 1] = count
        found[#found + 1] = fields
        taken = taken + 1
        for i = 1, #fields do room = room - #fields[i] end
      end
      for steps = 1, from == '' and 0 or 128 do
        local claimed = redis.call('XAUTOCLAIM', key, group, me, ARGV[4], from, 'COUNT', step())
        from = claimed[1]
        for _, entry in ipairs(claimed[2]) do
          keep(entry, redis.call('XPENDING', key, group, entry[1], entry[1], 1)[1][4])
        end
        if from == '0-0' or full() then break end
      end
      while not full() do
        local free = redis.call('XPENDING', key, group, '-', '+', step(), 'released')
        if #free == 0 then break end
        for _, entry in ipairs(free) do
          local claimed = redis.call('XCLAIM', key, group, me, 0, entry[1])
          if claimed[1] then keep(claimed[1], entry[4] + 1) end
        end
      end
      while not full() do
        local read = redis.call('XREADGROUP', 'GROUP', group, me, 'COUNT', step(), 'STREAMS', key, '>')
        if not read then break end
        for _, entry in ipairs(read[1][2]) do keep(entry, 1) end
      end
      return {from, found}
      """),

  /**
   * Removes entries, or starts their claims anew as those of a consumer. Arguments: consumer, whose
   * they are from now on, or nothing to remove them, then id and count of each. Answer: which are
   * of others by now, numbered from 0. One to remove that is gone was removed before: something is
   * written then as well, for the next WAIT to wait for.
   */
  PASS(
      """
      local to, others, done = ARGV[2], {}, {}
      for i = 3, #ARGV, 2 do
        local id = ARGV[i]
        if not mine(id, ARGV[i + 1]) then
          if to ~= '' or #redis.call('XRANGE', key, id, id) > 0 then
            others[#others + 1] = (i - 3) / 2
          else
            redis.call('SET', KEYS[2], id)
          end
        elseif to ~= '' then
          redis.call('XCLAIM', key, group, to, 0, id, 'JUSTID')
        else
          done[#done + 1] = id
        end
      end
      for i = 1, #done, 1000 do -- together: replicas get each command
        local last = math.min(i + 999, #done)
        redis.call('XACK', key, group, unpack(done, i, last))
        redis.call('XDEL', key, unpack(done, i, last))
      end
      return others
      """),

  /** Gives back all that a consumer has, and removes it. Argument: consumer. Answer: how many. */
  RELEASE_ALL(
      """
      local released = 0
      repeat
        local pending = redis.call('XPENDING', key, group, '-', '+', 100, me)
        for _, entry in ipairs(pending) do
          redis.call('XCLAIM', key, group, 'released', 0, entry[1], 'JUSTID')
        end
        released = released + #pending
      until #pending == 0
      redis.call('XGROUP', 'DELCONSUMER', key, group, me)
      return released
      """),

  /**
   * Fails unless there is the group, and removes consumers that have nothing and did nothing for an
   * hour: those of receivers that died. No arguments. Answer: nothing of interest.
   */
  OPEN(
      """
      for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', key, group)) do
        if consumer[4] == 0 and consumer[6] > 60 * 60 * 1000 then
          redis.call('XGROUP', 'DELCONSUMER', key, group, consumer[2])
        end
      end
      return 0
      """);

  private final String text;
  private final String hash;

  Script(String body) {
    text =
        """
        local key, group, me = KEYS[1], 'mqproof', ARGV[1]
        local function mine(id, count)
          local entry = redis.call('XPENDING', key, group, id, id, 1)[1]
          return entry and entry[2] == me and entry[4] == tonumber(count)
        end
        """
            + body;
    try {
      byte[] sum = MessageDigest.getInstance("SHA-1").digest(text.getBytes(UTF_8));
      hash = HexFormat.of().formatHex(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-1", e);
    }
  }

  /** Has the server know the script, as long as it runs. One answer follows. */
  void load(Connection connection) {
    connection.sendCommand(Command.SCRIPT, "LOAD", text);
  }

  /** Runs the script. One answer follows. */
  void send(Connection connection, List<String> keys, List<String> arguments) {
    List<String> all = new ArrayList<>(List.of(hash, Integer.toString(keys.size())));
    all.addAll(keys);
    all.addAll(arguments);
    connection.sendCommand(Command.EVALSHA, all.toArray(String[]::new));
  }

  /** Runs the script and waits for its answer. */
  Object run(Connection connection, String key, List<String> arguments) {
    send(connection, List.of(key), arguments);
    return connection.getOne();
  }
}
