package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.mqproof.Message;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.MqClient;
import org.mqproof.comparison.QueueClient;
import org.mqproof.comparison.QueueLoad;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/**
 * This adapter beside a loop over JDBC with the statements of pgmq, on one cluster, in pairs.
 * {@code docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int BODY_BYTES = 100;
  private static final int SENDERS = 2;
  private static final int RECEIVERS = 2;

  /** A receiver of the adapter claims over one connection while it acks over another. */
  private static final int LOOPS_PER_RECEIVER = 2;

  private static final int CONNECTIONS = SENDERS + RECEIVERS * LOOPS_PER_RECEIVER;

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    List<Workload> workloads = new ArrayList<>();
    for (int batch : new int[] {10, 100}) {
      QueueLoad ours = new QueueLoad(batch, SENDERS, RECEIVERS);
      QueueLoad theirs = new QueueLoad(batch, SENDERS, RECEIVERS * LOOPS_PER_RECEIVER);
      workloads.addAll(
          ours.beside(
              settings -> throughMq(settings, batch),
              theirs,
              settings -> new JdbcLoop(settings, batch),
              batch * 1_000,
              "JDBC",
              "a batched INSERT, rewritten to one of many rows",
              "pgmq's read, then its delete"));
    }
    int status = new Comparison(PeerComparisonMain.class, "postgresql", workloads).run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  /** Each sender has one batch under way, in one transaction, as each loop has. */
  private static QueueClient throughMq(Map<String, String> given, int batch) {
    Map<String, String> settings = new HashMap<>(given);
    settings.putIfAbsent("connections", Integer.toString(CONNECTIONS));
    return new MqClient(
        MqProvider.named("postgresql").connect(settings), Load.messages(batch, BODY_BYTES), 1);
  }

  /**
   * The columns that pgmq's queues need, its index and its statements, with a body of bytes in the
   * place of its JSON; stored and vacuumed as the adapter's queues are. Each step has a connection.
   */
  private static final class JdbcLoop implements QueueClient {

    private static final String TABLE =
        """
        CREATE TABLE %1$s (
          msg_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
          read_ct int NOT NULL DEFAULT 0,
          vt timestamptz NOT NULL DEFAULT clock_timestamp(),
          message bytea NOT NULL
        ) WITH (
          autovacuum_vacuum_scale_factor = 0,
          autovacuum_vacuum_threshold = 10000,
          autovacuum_vacuum_insert_scale_factor = 0,
          autovacuum_vacuum_insert_threshold = 100000,
          autovacuum_vacuum_cost_delay = 0
        );
        ALTER TABLE %1$s ALTER COLUMN message SET STORAGE EXTERNAL;
        CREATE INDEX ON %1$s (vt);
        """;

    private static final String READ =
        """
        WITH cte AS (
          SELECT msg_id FROM %1$s WHERE vt <= clock_timestamp()
          ORDER BY msg_id ASC LIMIT ? FOR UPDATE SKIP LOCKED
        )
        UPDATE %1$s AS m SET vt = clock_timestamp() + ? * interval '1 millisecond',
          read_ct = read_ct + 1
        FROM cte WHERE m.msg_id = cte.msg_id RETURNING m.msg_id, m.read_ct, m.message
        """;

    private final PostgreSqlSettings settings;
    private final int batch;
    private final String table = "peers_" + Long.toHexString(System.nanoTime());
    private final Collection<Connection> connections = new ConcurrentLinkedQueue<>();

    JdbcLoop(Map<String, String> given, int batch) throws SQLException {
      Map<String, String> all = new HashMap<>(given);
      all.put("client.reWriteBatchedInserts", "true");
      settings = new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), Map.copyOf(all)));
      this.batch = batch;
      run(TABLE.formatted(table));
    }

    private void run(String sql) throws SQLException {
      try (Connection connection = new Primary(settings).getConnection();
          Statement statement = connection.createStatement()) {
        boolean unused = statement.execute(sql);
      }
    }

    /** To the same node and with the same session as the adapter's. */
    private Connection open() throws SQLException {
      Connection connection = new Primary(settings).getConnection();
      connections.add(connection);
      return connection;
    }

    /** What is rewritten is sent together, and is one transaction without more round trips. */
    @Override
    public Load.Step sender() throws SQLException {
      PreparedStatement insert =
          open().prepareStatement("INSERT INTO %s (message) VALUES (?)".formatted(table));
      byte[] body = Load.messages(1, BODY_BYTES).get(0).body();
      return () -> {
        for (int i = 0; i < batch; i++) {
          insert.setBytes(1, body);
          insert.addBatch();
        }
        return insert.executeBatch().length;
      };
    }

    @Override
    public Load.Step receiver() throws SQLException {
      Connection connection = open();
      PreparedStatement read = connection.prepareStatement(READ.formatted(table));
      PreparedStatement delete =
          connection.prepareStatement(
              "DELETE FROM %s WHERE msg_id = ANY (?) RETURNING msg_id".formatted(table));
      return () -> {
        List<Long> ids = new ArrayList<>(batch);
        read.setInt(1, batch);
        read.setLong(2, settings.bounds().hidden().toMillis());
        try (ResultSet rows = read.executeQuery()) {
          while (rows.next()) {
            Message unused = new Message(rows.getBytes(3));
            ids.add(rows.getLong(1));
          }
        }
        if (ids.isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(1);
          return 0;
        }
        delete.setArray(1, connection.createArrayOf("int8", ids.toArray()));
        int deleted = 0;
        try (ResultSet rows = delete.executeQuery()) {
          while (rows.next()) {
            deleted++;
          }
        }
        return deleted;
      };
    }

    @Override
    public void close() throws SQLException {
      for (Connection connection : connections) {
        connection.close();
      }
      run("DROP TABLE " + table);
    }
  }
}
