#' Adds two numbers.
#' @param a one of them
add <- function(a, b) {
  # the sum of both
  a + b # done
}
###
#=-=#
x
# one
y
# under_score word2
z
## two words ##
