// The names of C#'s library:
//
//     mcs Library.cs
//     mono Library.exe > ../src/data/csharp/library.txt             those that an object of unknown type may have
//     mono Library.exe standard > ../src/data/csharp/standard.txt   all public ones of the assemblies `System.*`, and words of some places
//
// The first are the public types of seven namespaces, the members of their objects, and what extends these: what a type itself has
// stands behind its name. Made with Mono 6.8; the second list is joined to what .NET Core 3.1 (package `dotnetcore2`) says of itself when
// it runs the same file.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

static class Library
{
    static readonly string[] Spaces =
    {
        "System", "System.Collections", "System.Collections.Generic", "System.Linq", "System.Text", "System.IO", "System.Threading.Tasks",
    };

    // Words that mean something to the language in some places only.
    const string Words =
        "add alias and ascending async await by descending dynamic equals field file from get global group init into join let managed nameof " +
        "nint not notnull nuint on or orderby partial record remove required scoped select set unmanaged value var when where with yield";

    // Those of the assemblies that are there.
    static IEnumerable<Assembly> Whole()
    {
        var folder = System.IO.Path.GetDirectoryName(typeof(object).Assembly.Location);
        var files = System.IO.Directory.GetFiles(folder, "System*.dll").Concat(System.IO.Directory.GetFiles(folder, "Microsoft.CSharp.dll"));
        foreach (var file in files)
        {
            Assembly loaded = null;
            try { loaded = Assembly.LoadFrom(file); } catch (Exception) { }
            if (loaded != null) yield return loaded;
        }
    }

    static IEnumerable<Type> TypesOf(Assembly assembly)
    {
        try { return assembly.GetExportedTypes(); } catch (Exception) { return new Type[0]; }
    }

    static IEnumerable<MemberInfo> MembersOf(Type type, BindingFlags flags)
    {
        try { return type.GetMembers(flags); } catch (Exception) { return new MemberInfo[0]; }
    }

    static bool IsWhole;

    static void Main(string[] arguments)
    {
        IsWhole = arguments.Length > 0 && arguments[0] == "standard";
        var names = new SortedSet<string>(StringComparer.Ordinal);
        const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        var assemblies = new List<Assembly> { typeof(object).Assembly, typeof(Enumerable).Assembly, typeof(Uri).Assembly };
        if (IsWhole) assemblies.AddRange(Whole());
        foreach (var assembly in assemblies)
        foreach (var type in TypesOf(assembly).Where(type => IsWhole || Spaces.Contains(type.Namespace)))
        {
            names.Add(type.Name.Split('`')[0]);
            if (IsWhole) names.UnionWith((type.Namespace ?? "System").Split('.'));
            foreach (var member in MembersOf(type, All).Where(IsSeen)) names.Add(member.Name);
        }
        if (IsWhole) names.UnionWith(Words.Split(' '));
        foreach (var name in names.Where(IsName)) Console.WriteLine(name);
    }

    // What is no operator, and no half of a property or event.
    static bool IsName(string name)
    {
        var halves = new[] { "get_", "set_", "op_", "add_", "remove_" };
        return name.All(c => char.IsLetterOrDigit(c) || c == '_') && !halves.Any(half => name.StartsWith(half));
    }

    static bool IsSeen(MemberInfo member)
    {
        var method = member as MethodBase;
        var field = member as FieldInfo;
        var property = member as PropertyInfo;
        if (method != null) return (method.IsPublic || method.IsFamily) && (IsWhole || !method.IsStatic || method.IsDefined(typeof(ExtensionAttribute)));
        if (field != null) return (field.IsPublic || field.IsFamily) && (IsWhole || !field.IsStatic);
        return property == null || IsWhole || property.GetAccessors(false).Any(accessor => !accessor.IsStatic);
    }
}
