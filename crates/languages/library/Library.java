// The names of Java's library that an object of unknown type may have: java Library.java > ../src/data/java/library.txt
//
// The public classes of five packages, and the members of their objects. What a class itself has stands behind its name.
// Made with OpenJDK 17.
import java.lang.reflect.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;

class Library {
    static final List<String> PACKAGES =
        List.of("java/lang", "java/util", "java/util/function", "java/util/stream", "java/io");

    public static void main(String[] arguments) throws Exception {
        var names = new TreeSet<String>();
        var root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
        for (var name : PACKAGES) {
            try (var files = Files.list(root.resolve(name))) {
                for (var file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
                    var path = root.relativize(file).toString();
                    var type = Class.forName(path.substring(0, path.length() - 6).replace('/', '.'), false, null);
                    if (!Modifier.isPublic(type.getModifiers())) continue;
                    names.add(type.getSimpleName());
                    for (var one : type.getDeclaredMethods()) add(names, one);
                    for (var one : type.getDeclaredFields()) add(names, one);
                }
            }
        }
        names.add("length");
        names.remove("");
        names.forEach(System.out::println);
    }

    static void add(Set<String> names, Member one) {
        var isSeen = Modifier.isPublic(one.getModifiers()) || Modifier.isProtected(one.getModifiers());
        if (isSeen && !one.isSynthetic() && !Modifier.isStatic(one.getModifiers())) names.add(one.getName());
    }
}
