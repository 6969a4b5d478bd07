package org.mqproof.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MqProviderTest {

  @Test
  void isFoundByName() {
    assertThat(MqProvider.named("test")).isInstanceOf(TestProvider.class);
  }

  @Test
  void anUnknownNameListsWhatIsOnTheClassPath() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MqProvider.named("kafak"))
        .withMessage("no system 'kafak' on the class path; found test");
  }
}
