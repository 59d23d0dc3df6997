#== braces | applied
x = 1
print(f"{{}} {x} {{{x}}}")
#== conversions and specifications | applied
x, w = "a", 3.14159
print(f"{x!r} {x!s:>5} {w:.2f} {w!r:<10}|{x:}")
#== nested specifications | applied
def f(x, w, p):
    return f"{x:{w}.{p}f} {x!r:>{w}}"
print(f(3.14159, 10, 2))
#== text and value | applied
def f(x):
    return f"{x=} {x = } {x=!s} {x=:>5}"
print(f("a"))
#== concatenation with braces | applied
def f(x):
    return ("{a} " f"{x} {{b}}" '{c}'
            r"\{d}")
print(f(1))
#== raw | applied
def f(x):
    return rf"\n{x}\{{" f"\n" fR'{x}\d'
print(f(1))
#== quotes inside of fields | applied
def f(d):
    return f'{d["a"]}' + f"{d['a']}" + f'''{d["a"]}'s'''
print(f({"a": 1}))
#== a value that the next field changes | declined
def f(xs):
    return f"{xs} {xs.pop()}"
print(f([1, 2]))
#== a value that prints when it is formatted | declined
class A:
    def __str__(self):
        print("str")
        return "A"
def say():
    print("say")
    return 1
def f(a):
    return f"{a} {say()}"
print(f(A()))
#== a value that counts how often it is formatted | declined
class A:
    n = 0
    def __str__(self):
        self.n += 1
        return "A"
def f(a):
    return f"{a} {a.n}"
print(f(A()))
#== plain values before a call | applied
def f(x):
    s = str(x)
    return f"{s} {1 + 1} {s.upper()}"
print(f("a"))
#== names | applied
def f(a, b):
    return f"{a} and {b!r}" + f"{a}".upper() + f"{b}"[0]
print(f("x", "y"))
#== assignments, functions, tuples, conditions | applied
def f(a):
    x = f"{(b := a)}"
    y = f"{(lambda: a)()}"
    z = f"{a, b}"
    w = f"{a if a else b}"
    return x, y, z, w
print(f(3))
#== no fields | declined
print(f"plain {{}}", b"{x}")
#== one in another | applied
def f(x):
    return f"{f'{x}'}"
print(f(1))
#== names of characters | applied
def f(x):
    return f"\N{BULLET} {x} \N{EM DASH}"
print(f(1))
#== braces by escapes | declined
def f(x):
    return f"\x7b{x}\x7d"
print(f(1))
#== after return and in words | applied
def f(x):
    return f"{x}"if x else f"{x}"
print(f(1), f(0))
#== a format of one's own | applied
class A:
    def __format__(self, spec):
        return "<" + spec + ">"
def f(a):
    return f"{a:abc} {a}"
print(f(A()))
#== lines | applied
def f(x):
    return f"""
    {x}
    {{y}}
""" % ()
print(f(1))
#== what looks like a docstring | applied
x = 2
def f():
    f"""{x}"""
print(f.__doc__, f())
#== a value that formats itself before one that may have no value | by tests
class A:
    def __format__(self, spec):
        print("format")
        return ""
def f(a, c):
    if c:
        x = 1
    return f"{a}{x}"
try:
    f(A(), False)
except UnboundLocalError:
    print("no x")
