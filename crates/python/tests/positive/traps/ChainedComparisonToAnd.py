#== a middle that prints | applied
def say(x):
    print(x)
    return x
if 0 < say(1) < 2:
    print("yes")
print(5 < say(1) < say(2))
#== a middle that an iterator gives | applied
def f(it):
    return 0 < next(it) <= 1, list(it)
print(f(iter([1, 2])))
#== differences | applied
def f(a, b, c):
    return a != b != c
print(f(1, 2, 1), f(1, 1, 2))
#== under a negation | applied
def f(a, b, c):
    return not a < b < c, not (a < b < c)
print(f(1, 2, 3), f(3, 2, 1))
#== three operators | applied
def f(a, b, c, d):
    return a < b <= c == d, a is b is c, a in b in [c]
try:
    f(1, 2, 2, 2)
except TypeError:
    print("type")
def g(a, b, c, d):
    return a < b <= c == d
print(g(1, 2, 2, 2), g(1, 2, 2, 3))
#== in a class body | declined
class C:
    x = 0 < len("ab") < 3
print(C.x, sorted(k for k in C.__dict__ if k[0] != "_"))
#== a literal middle in a class body | applied
class C:
    x = 0 < 1 < 3
print(C.x)
#== what a comprehension iterates over | declined
def f(g):
    return [x for x in [0 < g() < 3]]
print(f(lambda: 1))
#== the condition of a comprehension | applied
def f(g, n):
    return [x for x in range(n) if 0 < g(x) < 3]
print(f(lambda x: x, 5))
#== a global that a comparison changes | applied
n = 1
class A:
    def __lt__(self, other):
        global n
        n = 100
        return True
def f(a):
    return a < n < 5
print(f(A()))
#== values that are no bools | applied
def f(a, b, c):
    return a in b in c, (a == b == c) or "no"
print(f("a", "ab", ["ab"]))
#== among other operators | applied
def f(a, b, c, x):
    return x and a < b < c or x, x if a < b < c else b, [a < b < c], (a<b<c)==x
print(f(1, 2, 3, True))
#== a lambda | applied
f = lambda g: 0 < g() < 2
print(f(lambda: 1))
#== over lines | applied
def f(a, b, c):
    return (a  # one
            < b  # two
            < c)
print(f(1, 2, 3))
#== variables are listed | declined
def f(g):
    x = 0 < g() < 2
    return sorted(locals())
print(f(lambda: 1))
#== a chain in a chain | applied
def f(a, b, c):
    return a < (a < b < c) < c
print(f(0, 1, 2))
