package org.mqproof.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;
import static org.mqproof.Outcome.UNKNOWN;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.Outcome;

/** What the server's answer to an insert means for each message. */
class InsertsTest {

  private static final int INVALID = 121;
  private static final int DUPLICATE_KEY = 11000;
  private static final WriteConcernError TOO_FEW_NODES =
      new WriteConcernError(64, "WriteConcernFailed", "timed out", new BsonDocument());

  @Test
  void whatIsNamedIsNotStoredAndTheRestIs() {
    assertThat(judge(null, error(1, INVALID))).containsExactly(CONFIRMED, REJECTED, CONFIRMED);
  }

  @Test
  void withoutEnoughNodesTheRestMayBeRolledBack() {
    assertThat(judge(TOO_FEW_NODES)).containsExactly(UNKNOWN, UNKNOWN, UNKNOWN);
    assertThat(judge(TOO_FEW_NODES, error(2, INVALID))).containsExactly(UNKNOWN, UNKNOWN, REJECTED);
  }

  @Test
  void anIdThatIsThereAlreadyWasStoredByAnEarlierAttempt() {
    assertThat(judge(null, error(0, DUPLICATE_KEY))).containsExactly(UNKNOWN, CONFIRMED, CONFIRMED);
  }

  private static BulkWriteError error(int index, int code) {
    return new BulkWriteError(code, "refused", new BsonDocument(), index);
  }

  private static List<Outcome> judge(
      @Nullable WriteConcernError concern, BulkWriteError... errors) {
    Outcome[] outcomes = new Outcome[3];
    Inserts.judge(
        new MongoBulkWriteException(
            BulkWriteResult.unacknowledged(),
            List.of(errors),
            concern,
            new ServerAddress(),
            Set.of()),
        outcomes);
    return Arrays.asList(outcomes);
  }
}
