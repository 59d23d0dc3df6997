// What javac finds wrong in texts. In: a line a text, its id, a tab, the text in base 64. Out: a line an error, the id, the line of
// the text, the message in base 64.
//
// A text is one file, before which stand imports of the packages of `java.base` that are used most. Other classes are missing.
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.tools.*;

class Java {
    static final String IMPORTS =
        "import java.io.*; import java.lang.reflect.*; import java.math.*; import java.net.*; import java.nio.charset.*; import java.nio.file.*; "
        + "import java.text.*; import java.time.*; import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*; "
        + "import java.util.function.*; import java.util.regex.*; import java.util.stream.*; ";

    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var options = List.of("-proc:none", "-Xmaxerrs", "1000", "-implicit:none", "--should-stop=ifError=FLOW");
        for (var line : new BufferedReader(new InputStreamReader(System.in)).lines().toList()) {
            var parts = line.split("\t");
            var text = IMPORTS + new String(Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8);
            var file = new SimpleJavaFileObject(URI.create("string:///Unit.java"), JavaFileObject.Kind.SOURCE) {
                @Override public CharSequence getCharContent(boolean ignore) { return text; }
                @Override public boolean isNameCompatible(String name, Kind kind) { return true; }
            };
            DiagnosticListener<JavaFileObject> hears = one -> {
                if (one.getKind() == Diagnostic.Kind.ERROR) say(parts[0], one.getLineNumber(), one.getMessage(Locale.ROOT));
            };
            var task = (com.sun.source.util.JavacTask) compiler.getTask(Writer.nullWriter(), null, hears, options, null, List.of(file));
            task.analyze();
        }
    }

    static void say(String id, long line, String message) {
        var coded = Base64.getEncoder().encodeToString(message.getBytes(StandardCharsets.UTF_8));
        System.out.println(id + "\t" + line + "\t" + coded);
    }
}
