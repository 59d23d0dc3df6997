// The names of C#'s library: mcs Library.cs && mono Library.exe > ../src/data/csharp/library.txt
//
// The public types of seven namespaces, the members of their objects, and what extends these. What a type itself has stands
// behind its name. Made with Mono 6.8.
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

    static void Main()
    {
        var names = new SortedSet<string>(StringComparer.Ordinal);
        const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        foreach (var assembly in new[] { typeof(object).Assembly, typeof(Enumerable).Assembly, typeof(Uri).Assembly })
        foreach (var type in assembly.GetExportedTypes().Where(type => Spaces.Contains(type.Namespace)))
        {
            names.Add(type.Name.Split('`')[0]);
            foreach (var member in type.GetMembers(All).Where(IsSeen)) names.Add(member.Name);
        }
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
        if (method != null) return (method.IsPublic || method.IsFamily) && (!method.IsStatic || method.IsDefined(typeof(ExtensionAttribute)));
        if (field != null) return (field.IsPublic || field.IsFamily) && !field.IsStatic;
        return property == null || property.GetAccessors(false).Any(accessor => !accessor.IsStatic);
    }
}
