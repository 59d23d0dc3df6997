#== two inputs | declined
values = iter([1, 2])
print(next(values) < next(values))
#== which error comes first | declined
def f(d, xs):
    return d["no"] == xs[5]
try:
    f({}, [])
except LookupError as e:
    print(type(e).__name__)
#== equality that is no mirror | declined
class Odd:
    def __eq__(self, other): return True
class Even:
    def __eq__(self, other): return False
def f(a, b):
    return a == b
print(f(Odd(), Even()))
#== orders that print | declined
class A:
    def __lt__(self, other):
        print("lt")
        return True
    def __gt__(self, other):
        print("gt")
        return False
def f(a, b):
    return a < b
print(f(A(), A()))
#== membership | declined
print(1 in [1, 2], "a" not in "bc")
#== a chain | declined
a, b, c = 1, 3, 2
print(a < b < c)
#== a walrus that the other side reads | declined
def f(x):
    return (y := x + 1) > y - 1
print(f(2))
#== a negation on the right | applied
def f(x: int, y: int):
    return x == (not y)
print(f(1, 0), f(0, 0))
#== a global that the call changes | declined
n = 1
def bump():
    global n
    n += 1
    return 2
def f():
    return n == bump()
print(f())
#== a local and a call | applied
def f(xs):
    n = 3
    if n > xs.pop():
        return xs
    return None
print(f([1, 2]))
#== a name that a nested function binds | declined
def f():
    n = 1
    def g():
        nonlocal n
        n = 5
        return 1
    return n == g()
print(f())
#== NaN | applied
def f():
    x = float("nan")
    return x < 1.0, x == x, 1.0 >= x, x != 2.0
print(f())
#== identity | applied
def f(x):
    return x is None, x is not None
print(f(None))
#== words that would run together | applied
def f(a, b):
    if(a)<b:return 1
    return 2 if"x"==b else 3
print(f(1, 2))
#== comparisons in comparisons | applied
def f(a: int, b: int, c: int):
    return (a < b) == (b < c), not a < b, (a == b) is (b == c)
print(f(1, 2, 3), f(3, 2, 1))
#== in an f-string | declined
def f(x: int):
    return f"{x == 1=} {x < 2}"
print(f(1))
#== a length that the other side changes | declined
def f():
    xs = [1, 2, 2]
    return len(xs) == xs.pop()
print(f())
#== two reads of one string | applied
def f(x, y, z):
    s, i, j = str(x), int(y), int(z)
    return s[i] < s[j]
print(f("ab", 0, 1))
try:
    f("a", 5, 6)
except IndexError:
    print("index")
#== several lines with a comment | applied
def f(a: int, b: int):
    if (a  # one
            < b + 1  # other
            ):
        return 1
print(f(1, 2))
#== a lambda and a conditional expression in parentheses | applied
def f(a: int):
    return (a if a else 2) < (3 if a else 1), (lambda: a) == a
print(f(0))
#== a text that names the operands in order | declined
def f(a, b):
    """
    >>> f(1, "a")
    TypeError: '<' not supported between instances of 'int' and 'str'
    """
    return a < b
try:
    f(1, "a")
except TypeError as e:
    print(e)
#== an annotation that callers do not keep | applied
def f(a: int, b: int):
    return a + b < b
print(f("a", "b"))
