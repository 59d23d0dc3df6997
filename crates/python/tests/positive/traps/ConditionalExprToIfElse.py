#== an augmented assignment whose condition binds the target | declined
x = 1
def f():
    global x
    x = 10
    return True
x += 1 if f() else 2
print(x)
#== an augmented assignment of a local | applied
def f(c):
    x = 1
    x += 2 if c else 3
    return x
print(f(0), f(1))
#== a tuple with a condition in it | declined
def f(c):
    x = 1, 2 if c else 3
    return x
print(f(1), f(0))
#== conditions one after the other | applied
def f(a, b):
    x = 1 if a else 2 if b else 3
    y = (1 if a else 2) if b else 3
    z = 1 if a else (2 if b else 3)
    return x, y, z
print([f(a, b) for a in (0, 1) for b in (0, 1)])
#== one-line suites | declined
def f(c, d):
    x = 0
    if d: x = 1 if c else 2
    y = 3; z = 4 if c else 5
    return x, y, z
print(f(0, 1), f(1, 1), f(1, 0))
#== an annotation | applied
class C:
    x: int = 1 if len("a") else 2
print(C.x, C.__annotations__)
#== several targets | applied
def f(c):
    a = b = [1] if c else [2]
    a[0], d = (3, 4) if c else (5, 6)
    return a, b, a is b, d
print(f(1), f(0))
#== the target's index is evaluated after the value | applied
def say(x):
    print(x)
    return x
d = {}
d[say(1)] = say(2) if say(3) else say(4)
print(d)
#== over lines | applied
def f(c):
    x = (
        1
        + 1
        if c
        and c > 0
        else [
            2,
        ]
    )
    return x
print(f(1), f(0))
#== comments inside | declined
def f(c):
    x = (1  # one
         if c else 2)
    return x
print(f(1))
#== a comment behind | applied
def f(c):
    x = 1 if c else 2  # which
    return x
print(f(1))
#== a walrus and a lambda | applied
def f(c):
    x = y if (y := c) else 0
    z = (lambda: 1) if c else (lambda: 2)
    w = 1 if c else lambda: 3
    return x, z(), w if c else w()
print(f(5), f(0))
#== in a branch, with tabs | applied
def f(c):
	if c:
		x = 1 if c > 1 else 2
	else:
		x = 3
	return x
print(f(0), f(1), f(2))
#== the last line without an end | applied
import sys
x = print(1) if sys else print(2)
