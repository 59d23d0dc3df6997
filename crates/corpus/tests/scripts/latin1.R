# café au lait
x <- "ü"
 
 # grüße an alle 
y
# ²a bµ c
z
#«two words» here
w
