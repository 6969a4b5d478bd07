package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTextTest {

  @Test
  void keysAndValuesAreSplitAtTheFirstEqualsSign() {
    assertThat(SettingsText.parse("settings", "a=1; b = x=y ;;c="))
        .containsExactlyInAnyOrderEntriesOf(Map.of("a", "1", "b", "x=y", "c", ""));
  }

  @Test
  void nothingIsNoSettings() {
    assertThat(SettingsText.parse("settings", "")).isEmpty();
  }

  @Test
  void aPartWithoutAKeyIsRefused() {
    assertThatThrownBy(() -> SettingsText.parse("mode", "acks"))
        .as("the part may be a secret")
        .hasMessage("mode has a part that is no key=value: it takes key=value;key=value");
    assertThatThrownBy(() -> SettingsText.parse("mode", "=all"))
        .hasMessageContaining("key=value;key=value");
  }

  @Test
  void aKeyGivenTwiceIsRefused() {
    assertThatThrownBy(() -> SettingsText.parse("settings", "a=1;a=2"))
        .hasMessage("settings has the key a twice");
  }
}
