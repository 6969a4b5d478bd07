package com.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page shows what is compiled and tested here. */
class ServicesPageTest {

  /** A block of Java, and the file and the part of it that the line above names. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?:<!-- (?<file>\\S+): (?<part>\\w+) -->\n)?```java\n(?<code>.*?)```\n", Pattern.DOTALL);

  @Test
  void eachBlockIsAPartOfASample() throws IOException {
    Matcher block = BLOCK.matcher(Files.readString(Path.of("../../docs/services.md")));
    int blocks = 0;
    while (block.find()) {
      blocks++;
      assertThat(block.group("file")).as("where it is from: %s", block.group("code")).isNotNull();
      assertThat(block.group("code")).isEqualTo(part(block.group("file"), block.group("part")));
    }
    assertThat(blocks).isEqualTo(13);
  }

  private static String part(String file, String part) throws IOException {
    String source = Files.readString(Path.of("src/" + file));
    Matcher marked =
        Pattern.compile("^ *// " + part + " \\{\n(.*?)^ *// }$", Pattern.DOTALL | Pattern.MULTILINE)
            .matcher(source);
    assertThat(marked.find()).as("part %s of %s", part, file).isTrue();
    return marked.group(1).stripTrailing().stripIndent().strip() + "\n";
  }
}
