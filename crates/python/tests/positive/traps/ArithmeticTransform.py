#== a list that another name shares | declined
a = [1]
b = a
a += [2]
print(b)
#== a list of a function, contracted | declined
def f():
    a = [1]
    b = a
    a = a + [2]
    return b
print(f())
#== a set in place | declined
def f(s):
    t = s
    s |= {3}
    return t
print(f({1}))
#== a counter in place | declined
from collections import Counter
def f():
    a = Counter("aab")
    b = a
    a += Counter("b")
    return b
print(sorted(f().items()))
#== a list takes a tuple | declined
def f():
    a = [1]
    a += (2,)
    return a
print(f())
#== an index that is evaluated twice | declined
def f():
    calls = []
    def index():
        calls.append(1)
        return 0
    xs = [1]
    xs[index()] += 5
    return xs, calls
print(f())
#== a right side of lower precedence | applied
def f():
    x = 3
    x *= 1 + 2
    x -= 4 if x else 1
    x **= -1 + 2
    return x
print(f())
#== a difference of three | declined
def f():
    x, a, b = 10, 2, 3
    x = x - a - b
    return x
print(f())
#== the target on the right | declined
def f():
    x, a = "x", "a"
    x = a + x
    return x
print(f())
#== a yield on the right | applied
def f():
    x = 1
    x += yield 5
    print(x)
g = f()
print(next(g))
try:
    g.send(3)
except StopIteration:
    pass
#== a sum that becomes unknown, not shared | applied
def f(xs):
    total = 0
    for x in xs:
        total += x
    return total
print(f([1, 2.5, True]))
#== a sum that is kept while it grows | declined
class V:
    def __init__(self, n): self.n = n
    def __radd__(self, other): return V(self.n)
    def __add__(self, other): return V(self.n + other.n)
    def __iadd__(self, other):
        self.n += other.n
        return self
def f(xs):
    total, seen = 0, []
    for x in xs:
        total = total + x
        seen.append(total)
    return [v.n for v in seen]
print(f([V(1), V(2), V(3)]))
#== strings grow | applied
def f(words):
    s = ""
    for w in words:
        s += str(w) + ","
    s = s + "end"
    return s
print(f([1, 2]))
#== a list in a list is repeated in place | declined
def f():
    row = [0]
    xs = [row]
    xs[0] *= 2
    return row
print(f())
#== an element of unknown type gets a number | applied
def f(xs, i):
    xs[i] += 1
    xs[i] = xs[i] - 2
    return xs
print(f([5, 6], 1))
#== a tuple without parentheses | applied
def f():
    t = (1,)
    t += 2, 3
    return t
print(f())
#== a module's list by a function | declined
xs = []
def f(more):
    global xs
    xs += more
ys = xs
f([1])
print(ys)
#== bits, shifts, division, matrices | applied
def f():
    x = 13
    x &= 7
    x |= 8
    x ^= 2
    x <<= 3
    x >>= 1
    x //= 3
    x %= 10
    x /= 4
    return x
print(f())
#== a value in parentheses | declined
def f():
    x = 1
    x = (x
         + 2)
    return x
print(f())
#== one line with another statement | applied
def f():
    x = 1; x += 2; x = x * 3
    if x: x -= 1
    return x
print(f())
#== a continued line | applied
def f():
    x = 1
    x += 2 + \
        3
    return x
print(f())
#== a text that names the operator | declined
def f(x):
    """
    >>> f("a")
    TypeError: unsupported operand type(s) for +=: 'int' and 'str'
    """
    n = 1
    n += x
    return n
try:
    f("a")
except TypeError as e:
    print(e)
