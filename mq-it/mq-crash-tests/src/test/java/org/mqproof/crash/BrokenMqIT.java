package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.mqproof.Mq;

/** Adapters that only a fault unmasks: without one they pass, with one they are caught. */
class BrokenMqIT extends CrashHarness {

  private UnaryOperator<Mq> broken = UnaryOperator.identity();

  BrokenMqIT() {
    super("activemq", Map.of("silence.bound", "1s", "connect.bound", "2s", "call.bound", "3s"));
  }

  @Override
  protected Mq mq() {
    return broken.apply(super.mq());
  }

  /** These runs are none of the matrix. */
  @Override
  void keep(CellRun run) {}

  @Seeds.Each
  @DisplayName("an adapter that confirms before the broker has stored is caught, by a fault alone")
  void confirmsEarly(long seed) throws Exception {
    broken = BrokenMq::confirmsEarly;
    run(new NoFault(), seed);
    assertCaught(seed);
  }

  @Seeds.Each
  @DisplayName("one that drops unconfirmed batches when it reconnects is caught, by a fault alone")
  void dropsOnReconnect(long seed) throws Exception {
    broken = BrokenMq::dropsOnReconnect;
    run(new NoFault(), seed);
    assertCaught(seed);
  }

  @Tag(Tags.FULL)
  @Seeds.Each
  @DisplayName("a seed that caught one catches it again")
  void theSeedReplays(long seed) {
    for (UnaryOperator<Mq> each :
        List.<UnaryOperator<Mq>>of(BrokenMq::confirmsEarly, BrokenMq::dropsOnReconnect)) {
      broken = each;
      assertCaught(seed);
      assertCaught(seed);
    }
  }

  private void assertCaught(long seed) {
    assertThatThrownBy(() -> run(new Outage(), seed))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("lost: sender");
  }

  /** Nothing happens. */
  private static final class NoFault extends Fault {

    NoFault() {
      super("no fault", "ALO-01", Harms.CLIENT);
    }

    @Override
    protected void strike(Cell cell) {
      cell.struck("nothing");
    }

    @Override
    protected String tookEffect(Cell cell) {
      return "none";
    }
  }

  /** Lasts until batches were confirmed that began when every node was dead: those are lies. */
  private static final class Outage extends ClusterKilled {

    @Override
    protected void whileItLasts(Cell cell) {
      cell.awaitEverySender();
    }
  }
}
