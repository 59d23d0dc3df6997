# read the packages
suppressPackageStartupMessages(library(a))
# never reached here
x <- 1
