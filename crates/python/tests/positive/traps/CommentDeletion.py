#== a hash in strings | applied
x = "# no comment"  # a comment
y = '''
# not one either
'''
z = f"{x}# {y!r}"
print(x, y, z)
#== a shebang and an encoding | declined
#!/usr/bin/env python3
# -*- coding: utf-8 -*-
print("é")
#== comments inside of brackets | applied
x = [
    1,  # one
    # two
    2,
]
print(x)
#== a line that would become the encoding | applied
# one
# two
# coding: no-such-codec
print(1)
#== a continued line | applied
x = 1 + \
    2  # behind
# own
print(x)
#== the last line without an end | applied
print(1)
# the end
#== a suite that begins with a comment | applied
def f():
    # first
    """Doc # not a comment."""
    if True:
        # then
        return f.__doc__
        # last
# after
print(f())
#== several statements | applied
x = 1; y = 2  # both
print(x, y)
