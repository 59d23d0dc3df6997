// The names of Java's library:
//
//     java Library.java > ../src/data/java/library.txt             those that an object of unknown type may have
//     java Library.java standard > ../src/data/java/standard.txt   all public ones of packages `java` and `javax`
//
// The first are the public classes of five packages, and the members of their objects: what a class itself has stands behind its
// name. Made with OpenJDK 17.
import java.lang.reflect.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;

class Library {
    static final List<String> PACKAGES =
        List.of("java/lang", "java/util", "java/util/function", "java/util/stream", "java/io");

    static boolean isWhole;

    public static void main(String[] arguments) throws Exception {
        isWhole = arguments.length > 0 && arguments[0].equals("standard");
        var names = new TreeSet<String>();
        var modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules");
        if (isWhole) {
            try (var all = Files.list(modules)) {
                for (var module : all.toList()) {
                    for (var space : List.of("java", "javax")) {
                        if (Files.isDirectory(module.resolve(space))) {
                            try (var files = Files.walk(module.resolve(space))) { take(names, module, files.toList()); }
                        }
                    }
                }
            }
        } else {
            var root = modules.resolve("java.base");
            for (var name : PACKAGES) {
                try (var files = Files.list(root.resolve(name))) { take(names, root, files.toList()); }
            }
        }
        if (isWhole) names.addAll(List.of("open", "permits", "provides", "record", "sealed", "var", "when", "yield"));
        names.add("length");
        names.remove("");
        names.forEach(System.out::println);
    }

    static void take(Set<String> names, Path root, List<Path> files) throws Exception {
        for (var file : files) {
            var path = root.relativize(file).toString();
            if (!path.endsWith(".class") || path.endsWith("-info.class")) continue;
            var type = Class.forName(path.substring(0, path.length() - 6).replace('/', '.'), false, ClassLoader.getPlatformClassLoader());
            if (!Modifier.isPublic(type.getModifiers())) continue;
            names.add(type.getSimpleName());
            if (isWhole) names.addAll(List.of(type.getPackageName().split("\\.")));
            for (var one : type.getDeclaredMethods()) add(names, one);
            for (var one : type.getDeclaredFields()) add(names, one);
        }
    }

    static void add(Set<String> names, Member one) {
        var isSeen = Modifier.isPublic(one.getModifiers()) || Modifier.isProtected(one.getModifiers());
        if (isSeen && !one.isSynthetic() && (isWhole || !Modifier.isStatic(one.getModifiers()))) names.add(one.getName());
    }
}
