#== continue | applied
for i in range(5):
    if i % 2:
        continue
    print(i)
#== the body assigns the variable | applied
for i in range(4):
    i = i * 10
    print(i)
print(i)
#== the value after the loop | applied
def f():
    for i in range(3):
        pass
    return i
print(f())
#== an empty range binds nothing | applied
def f():
    for i in range(0):
        pass
    try:
        return i
    except NameError as e:
        return type(e).__name__
print(f())
#== the bound changes in the body | applied
def f():
    n = 3
    for i in range(n):
        n += 1
        print(i, n)
f()
#== the list that is measured grows | applied
def f(xs):
    for i in range(len(xs)):
        xs.append(i)
    return xs
print(f([1, 2]))
#== a negative step | applied
for i in range(5, 0, -2):
    print(i)
#== a step that is not known | applied
def f(s):
    return [i for i in range(3)], [print(i) for i in ()], s
def g(s):
    for i in range(0, 6, s):
        print(i)
g(2)
g(-1)
#== a step of zero | applied
def f():
    try:
        for i in range(0, 3, 0):
            print(i)
    except ValueError:
        print("zero")
f()
#== a bound that is no int | applied
def f(n):
    for i in range(n):
        print(i)
try:
    f(2.0)
except TypeError:
    print("type")
#== a bool as a start | applied
for i in range(False, 2):
    print(i)
#== enumerate of an iterator | applied
it = iter("abc")
for i, c in enumerate(it, 1):
    print(i, c)
    if i == 2:
        break
print(list(it))
#== zip of iterators of different lengths | applied
a, b = iter([1, 2, 3]), iter([4])
for x, y in zip(a, b):
    print(x, y)
print(list(a))
#== zip strict | applied
try:
    for x, y in zip([1, 2], [1], strict=True):
        print(x, y)
except ValueError:
    print("strict")
#== zip of one iterator twice | applied
it = iter(range(6))
for x, y in zip(it, it):
    print(x, y)
#== a list that changes under enumerate | applied
xs = [1, 2, 3]
for i, x in enumerate(xs):
    if x == 2:
        xs.remove(x)
    print(i, x)
#== a dict that changes under enumerate | applied
d = {1: 2}
try:
    for i, k in enumerate(d):
        d[k + 1] = 0
except RuntimeError:
    print("changed")
#== StopIteration from the body | applied
def f():
    for i in range(3):
        next(iter([]))
try:
    f()
except StopIteration:
    print("stopped")
#== a range of one's own | declined
def range(n):
    return [7] * n
for i in range(2):
    print(i)
#== else | applied
for i in range(3):
    if i == 5:
        break
else:
    print("else")
for i in range(3):
    break
else:
    print("never")
#== closures over the variable | applied
def f():
    fs = []
    for i in range(3):
        fs.append(lambda: i)
    return [g() for g in fs]
print(f())
#== an asynchronous loop and an ordinary one | applied
import asyncio
async def numbers():
    for i in range(2):
        yield i
async def main():
    async for i in numbers():
        print(i)
asyncio.run(main())
#== a class body | declined
class C:
    for i in range(2):
        x = i
print(sorted(k for k in C.__dict__ if not k.startswith("_")))
#== variables are listed | declined
def f():
    for i in range(2):
        pass
    return sorted(locals())
print(f())
#== one line | applied
for i in range(3): print(i); print(-i)
#== nested and in a function with tabs | applied
def f():
	for i in range(2):
		for j, c in enumerate("ab"):
			# a comment
			print(i, j, c)
	return 1
f()
#== targets that are no names | applied
class Box: pass
b, xs = Box(), [0, 0]
for b.i in range(2):
    print(b.i)
for xs[0] in range(3):
    pass
for i, (x, *rest) in enumerate(["abc", "def"]):
    print(i, x, rest)
print(xs)
#== a name that is next | declined
def next(x):
    return 5
for i, c in enumerate("ab"):
    print(i, c)
#== a generator that a break closes, with return | applied
def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("closed")
def f():
    for i, n in enumerate(numbers()):
        return n
print(f())
#== arguments that print | applied
def say(n):
    print("say", n)
    return n
def f():
    for i in range(say(1), say(3)):
        print(i)
f()
#== bounds over lines | applied
def f(n: int):
    for i in range(
        n
        + 1,
    ):
        print(i)
f(1)
#== an annotation that callers do not keep | applied
def f(n: int):
    for i in range(n):
        print(i)
try:
    f(1.5)
except TypeError as e:
    print(e)
#== generators that are not read to their end | by tests
def gen(n):
    try:
        yield from range(n)
    finally:
        print("closed", n)
def f():
    for a, b in zip(gen(3), gen(2)):
        pass
    print("done")
f()
