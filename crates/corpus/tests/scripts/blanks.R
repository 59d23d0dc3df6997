   # indented   words	
	x

# form feed
y…
# only comments
# until the end