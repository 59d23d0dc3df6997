# The names of R's library: Rscript --vanilla r.R > ../src/data/r/library.txt
#
# What the packages that are attached at the start export. Made with R 4.2.
packages <- c("base", "stats", "utils", "methods", "graphics", "grDevices", "datasets")
names <- unlist(lapply(packages, function(package) ls(paste0("package:", package))))
cat(sort(unique(grep("^[A-Za-z.][A-Za-z0-9._]*$", names, value = TRUE)), method = "radix"), sep = "\n")
