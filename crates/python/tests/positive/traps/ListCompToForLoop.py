#== the variable would leak | applied
i = 10
xs = [i for i in range(3)]
print(i, xs)
#== the target is read by the element | applied
x = [1, 2]
x = [y + len(x) for y in x]
print(x)
#== an error half-way | applied
def f():
    x = "old"
    try:
        x = [1 // n for n in (1, 0)]
    except ZeroDivisionError:
        return x
print(f())
#== the right arm of a condition | declined
def f(a):
    return a or [print(i) for i in range(2)]
print(f(1))
#== in a while | declined
n = [3]
while [x for x in n if x]:
    n[0] -= 1
print(n)
#== in a lambda and a default | declined
f = lambda: [i for i in range(2)]
def g(a=[i for i in range(3)]):
    return a
print(f(), g())
#== evaluated after other operands | declined
def say(x):
    print(x)
    return [x]
x = say(1) + [say(i) for i in (2, 3)]
print(x)
#== a class body | declined
class C:
    n = 3
    xs = [i for i in range(n)]
print(C.xs, sorted(k for k in vars(C) if k[0] != "_"))
#== a generator expression | declined
def f():
    return (print(i) for i in range(2))
g = f()
print("lazy")
list(g)
#== functions that keep the variable | declined
def f():
    all_ = []
    for k in (2, 3):
        fs = [lambda: i for i in range(k)]
        all_.extend(fs)
    return [g() for g in all_] + [0]
print(f())
#== no such variable afterwards | applied
def f():
    xs = [q for q in range(2)]
    try:
        return q
    except NameError:
        return "no q"
print(f())
#== asynchronous | declined
import asyncio
async def one(x):
    return x
async def main():
    xs = [await one(i) for i in range(2)]
    return xs
print(asyncio.run(main()))
#== conditions and two loops | applied
def f(rows):
    return [x * y for x in rows if x for y in range(x) if y % 2 if x > 1]
print(f([0, 1, 2, 4]))
#== comprehensions in comprehensions of the same name | applied
def f():
    m = [[x for x in range(x)] for x in range(3)]
    n = [sum(x for x in range(x)) for x in range(4)]
    return m, n
print(f())
#== a walrus | applied
def f(xs):
    ys = [last := x for x in xs]
    return ys, last
print(f([1, 2]))
#== unpacking | applied
def f(d):
    return [(k, a, r) for k, (a, *r) in d.items()]
print(f({1: "ab", 2: "c"}))
#== several targets and an annotation | applied
class A: pass
a = A()
a.x = b = [n * n for n in range(3)]
c: list = [n for n in b]
print(a.x, b, c)
#== a statement of its own | applied
[print(i) for i in range(2)]
#== over lines | applied
def f(xs):
    return [
        x
        + 1
        for x in xs
        if x
        and x > 1
    ]
print(f([0, 1, 2]))
#== names are listed | declined
def f():
    a = [i for i in range(2)]
    return sorted(vars())
print(f())
#== names inside of a class | applied
class C:
    def f(self):
        return [__x + 1 for __x in (1, 2)]
print(C().f())
#== shown with its name | declined
def f():
    return [f"{i=}" for i in range(2)]
print(f())
#== one line with another statement | declined
if True: xs = [i for i in range(2)]
x = 1; ys = [i for i in range(2)]
print(xs, ys)
#== a variable that may have no value | by tests
def f(xs, c):
    if c:
        y = 1
    r = [x + y for x in xs]
    return r
try:
    f([1], False)
except NameError as error:
    print(type(error).__name__)
#== variables that have one | applied
def f(xs):
    n = 2
    for i in xs:
        with open("/dev/null") as file:
            if i:
                y = 1
            else:
                y = 2
            r = [x + y * n + i for x in xs if file]
    return r
print(f([1]))
