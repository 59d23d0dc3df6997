#== zero and empty are not None | declined
def f(x):
    return x is None, x is not None
print(f(0), f([]), f(None))
#== one is not True | declined
def f(x):
    return x is True, x == True, x != False
print(f(1), f(2), f("x"))
#== NaN is not less and not greater | declined
def f(x, y):
    return not (x > y)
print(f(float("nan"), 1.0))
#== floats | declined
def f():
    x, y = float("nan"), 1.0
    return not (x < y), not (x >= y)
print(f())
#== sets have no total order | declined
def f(a, b):
    return not (a <= b)
print(f({1}, {2}))
#== a class with one operator | declined
class A:
    def __lt__(self, other): return True
def f(a, b):
    return not (a < b)
print(f(A(), A()))
#== a negated chain | declined
def f(a, b, c):
    return not (a < b < c)
print(f(1, 3, 2))
#== membership and identity | applied
def f(a, b):
    return not (a in b), not a not in b, not(a is b), not (a is not b)
print(f(1, [1, 2]))
#== two negations that are tested | applied
def f(c):
    if not not c:
        return 1
    return 2 if not (not c) else 3
print(f([]), f([1]))
#== two negations as a value | declined
def f(c):
    return not not c
print(f([1]), f(0))
#== what is known to be a bool | applied
def f(a, b):
    done = a in b
    return done == True, done is False, done != True, done is not False
print(f(1, [1]), f(2, [1]))
#== ints and strings | applied
def f(x, y, z):
    a, b, s = int(x), len(y), str(z)
    return not (a > b), not a <= b, not (s == "x"), not s < "y"
print(f(1, "ab", "x"), f(2, "a", "z"))
#== words that would run together | applied
def f(a, b):
    return 1 if not(a in b)else 2
print(f(1, [1]))
#== a condition over lines | applied
def f(a, b):
    if not (a
            in b):
        return 1
    x = not (
        a in b
    )
    return x
print(f(1, [1]), f(2, [1]))
#== inside of other operators | applied
def f(a, b):
    n = not (a in b)
    return (not (a is b)) == n, not (a in b) and n, [x for x in b if not (x is a)]
print(f(1, [1, 2]))
#== in an f-string | declined
def f(a, b):
    return f"{not (a in b)=}"
print(f(1, [2]))
#== annotations that callers do not keep | declined
def f(a: int, b: int):
    return not (a < b)
print(f(float("nan"), 1))
#== equality of unknown types, where no class defines it | applied
def f(x, y):
    return not (x == y), not x != y
print(f(1, 1), f([1], (1,)), f(float("nan"), 2))
