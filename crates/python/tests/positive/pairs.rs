//! What each transform makes of a few lines.

use barecode_python::transforms::named;
use barecode_records::python::Safety;
use expect_test::{Expect, expect};

use crate::applied::everywhere;

fn check(name: &str, safety: Safety, before: &str, after: &Expect) {
    let transform = named(name).expect("a transform");
    let made = everywhere(transform.as_ref(), before, safety);
    let made = made.map(|(text, account)| {
        let (nodes, open) = (account.applied, account.by_tests_only);
        format!("{text}# {nodes} changed, {open} by tests only\n")
    });
    after.assert_eq(&made.unwrap_or_else(|| "declined\n".to_owned()));
}

#[test]
fn arithmetic() {
    let before = "def f(xs):\n    n = len(xs)\n    n += 1 if xs else 2\n    n = n * 3  # kept\n    xs[n] -= 1\n    xs += [n]\n";
    check(
        "ArithmeticTransform",
        Safety::Safe,
        before,
        &expect![[r"
        def f(xs):
            n = len(xs)
            n = n + (1 if xs else 2)
            n *= 3  # kept
            xs[n] = xs[n] - 1
            xs += [n]
        # 3 changed, 1 by tests only
    "]],
    );
    check(
        "ArithmeticTransform",
        Safety::Paper,
        before,
        &expect![[r"
        def f(xs):
            n = len(xs)
            n = n + (1 if xs else 2)
            n *= 3  # kept
            xs[n] = xs[n] - 1
            xs = xs + [n]
        # 4 changed, 2 by tests only
    "]],
    );
}

#[test]
fn conditions() {
    let before = "def f(b, c):\n    a = len(b)\n    if a <= 3 and b is not None:\n        return b.x == c.y\n";
    check(
        "SwapCondition",
        Safety::Safe,
        before,
        &expect![[r"
        def f(b, c):
            a = len(b)
            if 3 >= a and None is not b:
                return b.x == c.y
        # 2 changed, 0 by tests only
    "]],
    );
    check(
        "SwapCondition",
        Safety::Paper,
        before,
        &expect![[r"
        def f(b, c):
            a = len(b)
            if 3 >= a and None is not b:
                return c.y == b.x
        # 3 changed, 1 by tests only
    "]],
    );
}

#[test]
fn loops() {
    let before = "def f(m, xs):\n    n = int(m)\n    for i in range(1, n):  # up\n        # here\n        print(i)\n    for i in range(n, 0, -1): print(i)\n    for i, x in enumerate(xs):\n        break\n    else:\n        print(x)\n    for i in range(xs):\n        pass\n";
    check(
        "ForInRangeToWhile",
        Safety::Safe,
        before,
        &expect![[r"
        def f(m, xs):
            n = int(m)
            counter = 1
            stop = n
            while counter < stop:  # up
                # here
                i = counter
                counter += 1
                print(i)
            counter_2 = n
            while counter_2 > 0: i = counter_2; counter_2 -= 1; print(i)
            end = object()
            iterator = iter(enumerate(xs))
            while (value := next(iterator, end)) is not end:
                i, x = value
                break
            else:
                print(x)
            end_2 = object()
            iterator_2 = iter(range(xs))
            while (value_2 := next(iterator_2, end_2)) is not end_2:
                i = value_2
                pass
        # 4 changed, 1 by tests only
    "]],
    );
    check(
        "ForInRangeToWhile",
        Safety::Paper,
        before,
        &expect![[r"
        def f(m, xs):
            n = int(m)
            counter = 1
            stop = n
            while counter < stop:  # up
                # here
                i = counter
                counter += 1
                print(i)
            counter_2 = n
            while counter_2 > 0: i = counter_2; counter_2 -= 1; print(i)
            end = object()
            iterator = iter(enumerate(xs))
            while (value := next(iterator, end)) is not end:
                i, x = value
                break
            else:
                print(x)
            counter_3 = 0
            stop_2 = xs
            while counter_3 < stop_2:
                i = counter_3
                counter_3 += 1
                pass
        # 4 changed, 2 by tests only
    "]],
    );
}

#[test]
fn comments() {
    let before = "#!/bin/python\nx = '#'  # one\n\n# two\nif x:\n    # three\n    pass\n";
    check(
        "CommentDeletion",
        Safety::Safe,
        before,
        &expect![[r"
        #!/bin/python
        x = '#'

        if x:
            pass
        # 3 changed, 0 by tests only
    "]],
    );
}

#[test]
fn comprehensions() {
    let before = "def f(xs, ys):\n    both = [x + y for x in xs if x for y in ys]\n    return [x for x in both]\n";
    check(
        "ListCompToForLoop",
        Safety::Safe,
        before,
        &expect![[r"
        def f(xs, ys):
            result = []
            for x_2 in xs:
                if x_2:
                    for y_2 in ys:
                        result.append(x_2 + y_2)
            both = result
            result_2 = []
            for x_3 in both:
                result_2.append(x_3)
            return result_2
        # 2 changed, 0 by tests only
    "]],
    );
}

#[test]
fn booleans() {
    let before = "def f(x, y):\n    if x is True or not (x > y) or y is None:\n        return not (x in y)\n";
    check(
        "BooleanSimplify",
        Safety::Safe,
        before,
        &expect![[r"
        def f(x, y):
            if x is True or not (x > y) or y is None:
                return x not in y
        # 1 changed, 0 by tests only
    "]],
    );
    check(
        "BooleanSimplify",
        Safety::Paper,
        before,
        &expect![[r"
        def f(x, y):
            if x or x <= y or not y:
                return x not in y
        # 4 changed, 3 by tests only
    "]],
    );
}

#[test]
fn chains() {
    let before = "def f(a, b, c):\n    return not a < b <= c, 0 < b() < 3\n";
    check(
        "ChainedComparisonToAnd",
        Safety::Safe,
        before,
        &expect![[r"
        def f(a, b, c):
            return not ((a < b) and (b <= c)), (0 < (middle := b())) and (middle < 3)
        # 2 changed, 0 by tests only
    "]],
    );
    check(
        "ChainedComparisonToAnd",
        Safety::Paper,
        before,
        &expect![[r"
        def f(a, b, c):
            return not ((a < b) and (b <= c)), (0 < b()) and (b() < 3)
        # 2 changed, 1 by tests only
    "]],
    );
}

#[test]
fn conditional_expressions() {
    let before = "def f(a, b):\n    x = y = 1 if a else 2 if b else 3  # which\n    return x\n";
    check(
        "ConditionalExprToIfElse",
        Safety::Safe,
        before,
        &expect![[r"
        def f(a, b):
            if a:
                x = y = 1
            elif b:
                x = y = 2
            else:
                x = y = 3  # which
            return x
        # 1 changed, 0 by tests only
    "]],
    );
}

#[test]
fn fstrings() {
    let before = "def f(x, w):\n    return f\"{x!r:>{w}} {{}}\" '{}' + f\"{x()} {w()}\"\n";
    check(
        "FStringToFormat",
        Safety::Safe,
        before,
        &expect![[r#"
        def f(x, w):
            return "{!r:>{}} {{}}" '{{}}'.format(x, w) + f"{x()} {w()}"
        # 1 changed, 0 by tests only
    "#]],
    );
    check(
        "FStringToFormat",
        Safety::Paper,
        before,
        &expect![[r#"
        def f(x, w):
            return "{!r:>{}} {{}}" '{{}}'.format(x, w) + "{} {}".format(x(), w())
        # 2 changed, 1 by tests only
    "#]],
    );
}
