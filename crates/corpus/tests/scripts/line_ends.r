# set it up
x <- 1

# go through allfor (i in 1:3) {
  # add one more
  x <- x + i
}
