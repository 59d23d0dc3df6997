# The names of R's library:
#
#   Rscript --vanilla r.R > ../src/data/r/library.txt             what the packages that are attached at the start export
#   Rscript --vanilla r.R standard > ../src/data/r/standard.txt   with the other packages that come with R, and all arguments
#   Rscript --vanilla r.R modules > ../src/data/r/modules.txt     those packages
#
# Made with R 4.2.
attached <- c("base", "stats", "utils", "methods", "graphics", "grDevices", "datasets")
others <- c("compiler", "grid", "parallel", "splines", "stats4", "tcltk", "tools")
arguments_of <- function(package) {
  of <- function(name) {
    one <- get(name, envir = getNamespace(package))
    if (is.function(one)) names(formals(args(one)))
  }
  unlist(lapply(getNamespaceExports(package), function(name) tryCatch(of(name), error = function(e) NULL)))
}
wanted <- c(commandArgs(trailingOnly = TRUE), "library")[1]
exported <- function(packages) unlist(lapply(packages, function(package) ls(paste0("package:", package))))
names <- switch(wanted,
  library = exported(attached),
  modules = c(attached, others),
  standard = {
    there <- Filter(function(package) requireNamespace(package, quietly = TRUE), c(attached, others))
    c(exported(attached), attached, others, unlist(lapply(there, getNamespaceExports)), unlist(lapply(there, arguments_of)))
  }
)
# `levels(x) <- y` calls `levels<-`.
names <- sub("<-$", "", names)
cat(sort(unique(grep("^[A-Za-z.][A-Za-z0-9._]*$", names, value = TRUE)), method = "radix"), sep = "\n")
